-- Counts by ids first, and adds names only to the resulting groups.
SELECT counted.*, (SELECT q.name FROM quota_node q WHERE q.id = counted.queue) AS queue_name
FROM (
  SELECT /*groups*/, sum(jobs) AS jobs, sum(gpu_milli) AS gpu_milli
  FROM (/*counted*/) AS each_job
  WHERE tenant = :tenant/*conditions*/
  GROUP BY /*columns*/
  HAVING sum(jobs) > 0) AS counted
