SELECT id, tenant, project, queue, name, submitted_by, priority, created_at, state, changed_at, started_at, ended_at,
       attempts, failures, faults, retry_at, failure, progress, checks, spec, version, queue_rank
FROM /*table*/
WHERE tenant = :tenant
