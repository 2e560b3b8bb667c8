-- The filter on active jobs is behind an optimisation fence: if the statistics show almost no active jobs, the planner would scan all ids
-- for each job.
SELECT * FROM (
SELECT id, tenant, project, queue, name, submitted_by, priority, created_at, state, changed_at, started_at, ended_at,
       attempts, failures, faults, retry_at, failure, progress, checks, version, active
FROM job
WHERE id IN (SELECT unnest(CAST(:ids AS uuid[])))
OFFSET 0
) AS named
WHERE active
ORDER BY id
