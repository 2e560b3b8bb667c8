INSERT INTO log_use (project, tenant, stored)
SELECT r.project, r.tenant, sum(r.more)
FROM json_to_recordset(CAST(:rows AS json)) AS r (project uuid, tenant uuid, more bigint)
GROUP BY r.project, r.tenant
ORDER BY r.project
ON CONFLICT (project) DO UPDATE SET stored = log_use.stored + excluded.stored
