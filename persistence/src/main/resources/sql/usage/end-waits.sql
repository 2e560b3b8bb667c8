-- Ends spans of numbers that differ from the last sample, at the time of the sample.
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
UPDATE wait_interval w SET ended_ms = greatest(w.started_ms, :now)
WHERE w.ended_ms IS NULL
  AND NOT EXISTS (
    SELECT FROM seen s
    WHERE s.tenant = w.tenant AND s.project = w.project AND s.queue = w.queue AND s.reason = w.reason AND s.jobs = w.jobs)
