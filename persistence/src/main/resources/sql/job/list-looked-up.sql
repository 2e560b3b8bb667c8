-- All matching rows are read before they are sorted, because they are few. A scan along the index of the order, which the planner
-- usually chooses for a page, could read a million other rows first.
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
