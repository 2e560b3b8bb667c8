-- Counted by ids first; only what is left of them gets its name.
SELECT counted.*, (SELECT q.name FROM quota_node q WHERE q.id = counted.queue) AS queue_name
FROM (
  SELECT /*groups*/, count(*) AS jobs, sum(gpu_milli) AS gpu_milli
  FROM job_all
  WHERE tenant = :tenant/*conditions*/
  GROUP BY /*columns*/) AS counted
