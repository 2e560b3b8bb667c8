SELECT job, idx, state, changed_at, started_at, ended_at, attempts, failures, faults, retry_at, failure
FROM job_element
WHERE job IN (SELECT unnest(CAST(:jobs AS uuid[])))
UNION ALL
SELECT e.job, e.idx, e.state, e.changed_at, e.started_at, e.ended_at, e.attempts, e.failures, e.faults, e.retry_at, e.failure
FROM job_archive_rows a, jsonb_populate_recordset(NULL::job_element, a.element_rows) e
WHERE a.id IN (SELECT unnest(CAST(:jobs AS uuid[])))
ORDER BY job, idx
