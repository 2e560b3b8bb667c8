INSERT INTO job_explanation AS e (job, tenant, class_key, since)
SELECT j.id, j.tenant, r.class_key, clock_timestamp()
FROM json_to_recordset(CAST(:rows AS json)) AS r (job uuid, class_key text)
JOIN job j ON j.id = r.job
ORDER BY j.id
ON CONFLICT (job) DO UPDATE SET class_key = excluded.class_key, since = excluded.since
WHERE e.class_key <> excluded.class_key
