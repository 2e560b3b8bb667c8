INSERT INTO use_fact (kind, period, start_ms, amount, tenant, project, queue, used_by, cluster, pool, model, capacity, service,
                      owner, detail, labels)
SELECT r.kind, 'HOUR', :start, r.amount, r.tenant, r.project, r.queue, r.used_by, r.cluster, r.pool, r.model, r.capacity, r.service,
       r.owner, r.detail, r.labels
FROM json_to_recordset(CAST(:rows AS json)) AS r (
  kind text, amount bigint, tenant uuid, project uuid, queue uuid, used_by text, cluster uuid, pool text, model text, capacity text,
  service text, owner uuid, detail text, labels jsonb)
