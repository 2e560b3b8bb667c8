SELECT id, tenant, project, queue, state, phase, submitted_by, name, created_at, 1 AS jobs, gpu_milli FROM job_all
