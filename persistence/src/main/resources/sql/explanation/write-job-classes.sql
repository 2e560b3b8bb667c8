-- A new scheduler writes the classes of all waiting jobs. ON CONFLICT locks each row that it does not change and writes that lock to the
-- log, so unchanged rows are omitted first.
INSERT INTO job_explanation AS e (job, tenant, class_key, since)
SELECT j.id, j.tenant, r.class_key, clock_timestamp()
FROM json_to_recordset(CAST(:rows AS json)) AS r (job uuid, class_key text)
JOIN job j ON j.id = r.job
WHERE r.class_key IS DISTINCT FROM (SELECT s.class_key FROM job_explanation s WHERE s.job = r.job)
ORDER BY j.id
ON CONFLICT (job) DO UPDATE SET class_key = excluded.class_key, since = excluded.since
WHERE e.class_key <> excluded.class_key
