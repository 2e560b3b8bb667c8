UPDATE job
SET spec = r.spec, labels = r.labels, priority = r.priority, gpu_milli = r.gpu_milli
FROM json_to_recordset(CAST(:rows AS json)) AS r (id uuid, spec jsonb, labels jsonb, priority int, gpu_milli bigint)
WHERE job.id = r.id
