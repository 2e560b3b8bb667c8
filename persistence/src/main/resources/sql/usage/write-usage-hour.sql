INSERT INTO usage_hour (hour_ms, tenant, project, queue, used_by, cluster, pool, model, capacity, service, milli_ms)
SELECT :hour, r.tenant, r.project, r.queue, r.used_by, r.cluster, r.pool, r.model, r.capacity, r.service, r.milli_ms
FROM json_to_recordset(CAST(:rows AS json)) AS r (
  tenant uuid, project uuid, queue uuid, used_by text, cluster uuid, pool text, model text, capacity text,
  service text, milli_ms bigint)
