-- Which jobs are active is asked behind the fence: when the statistics say that next to none is, the planner would go
-- through all ids for each job.
SELECT * FROM (
SELECT id, tenant, project, queue, name, submitted_by, priority, created_at, state, changed_at, started_at, ended_at,
       attempts, failures, faults, retry_at, failure, progress, version, active
FROM job
WHERE id IN (SELECT unnest(CAST(:ids AS uuid[])))
OFFSET 0
) AS named
WHERE active
ORDER BY id
