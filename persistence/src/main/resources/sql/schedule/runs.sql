SELECT schedule, instant, tenant, outcome, job, owner, detail, instants, at
FROM schedule_run
WHERE tenant = :tenant AND schedule = :schedule AND instant < :before
ORDER BY instant DESC
LIMIT :limit
