SELECT job, idx, state, changed_at, started_at, ended_at, attempts, failures, faults, retry_at, failure
FROM job_element
WHERE job IN (SELECT unnest(CAST(:jobs AS uuid[])))
ORDER BY job, idx
