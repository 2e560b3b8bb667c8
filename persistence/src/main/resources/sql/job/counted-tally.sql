-- The phase of a job is its state, unless it is placed. Waiting jobs are counted from their index, and all others from their rows.
SELECT tenant, project, queue, phase AS state, phase, submitted_by, CAST(1 AS bigint) AS jobs, gpu_milli FROM job
WHERE phase = 'QUEUED'
UNION ALL
SELECT tenant, project, queue, state, phase, submitted_by, CAST(1 AS bigint), gpu_milli FROM job
WHERE phase IN ('PLACED', 'SUSPENDED', 'CANCELLING')
UNION ALL
SELECT tenant, project, queue, state, state, submitted_by, jobs, gpu_milli FROM job_tally
