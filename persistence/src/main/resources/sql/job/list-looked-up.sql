-- All matching rows are read before they are sorted: they are few. The planner's usual way to a page, along an index of the order, could
-- read a million other rows first.
SELECT id, tenant, project, queue, name, submitted_by, priority, created_at, state, changed_at, started_at, ended_at,
       attempts, failures, faults, retry_at, failure, progress, checks, spec, version, queue_rank
FROM job_all
WHERE tenant = :tenant AND id IN (
  WITH found AS MATERIALIZED (
    SELECT id, created_at, queue_rank, name FROM job_all
    WHERE tenant = :tenant/*conditions*/
  )
  SELECT id FROM found/*page*/
)
/*order*/
