SELECT job
FROM schedule_run
WHERE tenant = :tenant AND schedule = :schedule AND job IS NOT NULL
ORDER BY instant DESC
LIMIT :limit
