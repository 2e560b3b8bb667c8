SELECT tenant, project, queue, state, submitted_by, 1 AS jobs, gpu_milli FROM job WHERE active
UNION ALL
SELECT tenant, project, queue, state, submitted_by, jobs, gpu_milli FROM job_tally
