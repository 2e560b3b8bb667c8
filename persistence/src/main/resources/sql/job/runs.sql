SELECT id, tenant, name, state, changed_at, started_at, ended_at, attempts, failures, faults, retry_at, failure
FROM job_all
WHERE id IN (SELECT unnest(CAST(:ids AS uuid[])))
ORDER BY id
