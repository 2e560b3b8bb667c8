-- All that match are looked at before they are put in order: they are few. Along an order's index, the planner's way to a
-- page, a million others could come first.
SELECT id, tenant, project, queue, name, submitted_by, priority, created_at, state, changed_at, started_at, ended_at,
       attempts, failures, faults, retry_at, failure, progress, spec, version, queue_rank
FROM job_all
WHERE tenant = :tenant AND id IN (
  WITH found AS MATERIALIZED (
    SELECT id, created_at, queue_rank, name FROM job_all
    WHERE tenant = :tenant/*conditions*/
  )
  SELECT id FROM found/*page*/
)
/*order*/
