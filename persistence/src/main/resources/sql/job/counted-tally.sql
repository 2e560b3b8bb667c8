-- The phase of a job is its state, unless it is placed. So only placed jobs are read outside the index, in the order of their rows:
-- with "active" in its condition, the planner would read them in the order of the index of counts, which is 18 times as many pages.
SELECT tenant, project, queue, phase AS state, phase, submitted_by, CAST(1 AS bigint) AS jobs, gpu_milli FROM job
WHERE active AND phase IN ('QUEUED', 'SUSPENDED', 'CANCELLING')
UNION ALL
SELECT tenant, project, queue, state, phase, submitted_by, CAST(1 AS bigint), gpu_milli FROM job WHERE phase = 'PLACED'
UNION ALL
SELECT tenant, project, queue, state, state, submitted_by, jobs, gpu_milli FROM job_tally
