INSERT INTO usage_label_hour (hour_ms, tenant, project, queue, used_by, pool, model, capacity, labels, milli_ms)
SELECT :hour, r.tenant, r.project, r.queue, r.used_by, r.pool, r.model, r.capacity, r.labels, r.milli_ms
FROM json_to_recordset(CAST(:rows AS json)) AS r (
  tenant uuid, project uuid, queue uuid, used_by text, pool text, model text, capacity text, labels jsonb, milli_ms bigint)
