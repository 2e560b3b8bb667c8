-- Runs after past spans were ended: a sampled wait without a span begins one. The cause of a wait is the reason that is shown first. A
-- wait that begins between the two statements is part of the next sample.
WITH cause AS MATERIALIZED (
  SELECT class_key, body #>> '{blockers,0,reason}' AS reason FROM explanation
), seen AS MATERIALIZED (
  SELECT j.tenant, j.project, j.queue, coalesce(c.reason, 'NOT_EVALUATED') AS reason, count(*)::int AS jobs
  FROM job j
  LEFT JOIN job_explanation e ON e.job = j.id
  LEFT JOIN cause c ON c.class_key = e.class_key
  WHERE j.phase = 'QUEUED'
  GROUP BY 1, 2, 3, 4
)
INSERT INTO wait_interval (tenant, project, queue, reason, jobs, started_ms)
SELECT s.tenant, s.project, s.queue, s.reason, s.jobs, :now
FROM seen s
WHERE NOT EXISTS (
  SELECT FROM wait_interval w
  WHERE w.ended_ms IS NULL AND w.tenant = s.tenant AND w.project = s.project AND w.queue = s.queue AND w.reason = s.reason)
