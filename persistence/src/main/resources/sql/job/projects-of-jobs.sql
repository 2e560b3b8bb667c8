SELECT id, project FROM job_all WHERE tenant = :tenant AND id = ANY (CAST(:ids AS uuid[]))
