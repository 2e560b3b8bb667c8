-- Rows of ended attempts are unchanged: only running attempts are idle.
SELECT e.attempt, e.job, e.tenant, e.samples, e.mean, e.last, e.memory_peak_mib, e.joules, e.idle_since, e.since, e.sampled_at,
       e.warned_at, e.warned_reclaim_ms, e.reclaimed, j.name, j.submitted_by, p.name AS project, a.element, a.number, a.cluster,
       (SELECT coalesce(sum(x.milli), 0) FROM allocation x WHERE x.attempt = a.id)::bigint AS gpu_milli
FROM attempt_efficiency e
JOIN attempt a ON a.id = e.attempt AND a.state = 'RUNNING'
JOIN job j ON j.id = a.job
JOIN project p ON p.id = j.project
WHERE e.tenant = :tenant AND e.idle_since IS NOT NULL
  AND (CAST(:projects AS text) IS NULL OR j.project IN (SELECT unnest(CAST(:projects AS uuid[]))))
ORDER BY e.idle_since, e.attempt
LIMIT :most
