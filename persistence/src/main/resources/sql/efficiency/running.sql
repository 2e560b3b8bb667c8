-- A policy applies to jobs that it does not exempt, and suspends no array, whose other elements may be busy. Selects by the id of the
-- attempt in the names of its pods. Members without GPUs have no series.
SELECT a.id, a.job, a.tenant, p.namespace, m.keys, e.samples, e.mean, e.last, e.memory_peak_mib, e.joules, e.idle_since,
       e.since, e.sampled_at, e.warned_at, e.warned_reclaim_ms, e.reclaimed,
       CASE WHEN NOT x.exempt THEN CASE WHEN j.progress IS NULL THEN p.idle_policy ELSE p.idle_policy - 'reclaimAfter' END END AS idle_policy
FROM attempt a
JOIN job j ON j.id = a.job
JOIN project p ON p.id = j.project
CROSS JOIN LATERAL (
  SELECT array_agg(x.role || '-' || x.idx || '-' || x.incarnation) AS keys
  FROM member x
  WHERE x.attempt = a.id AND (jsonb_array_length(x.gpus) > 0 OR x.extended::text LIKE '%nvidia.com/mig-%') AND x.standing IS DISTINCT FROM 'LEFT'
) m
CROSS JOIN LATERAL (
  SELECT p.idle_policy IS NOT NULL AND EXISTS (
    SELECT FROM jsonb_each_text(p.idle_policy -> 'exempt') l WHERE j.labels ->> l.key = l.value) AS exempt
) x
LEFT JOIN attempt_efficiency e ON e.attempt = a.id
WHERE a.id IN (SELECT unnest(CAST(:ids AS uuid[]))) AND a.cluster = :cluster AND a.state = 'RUNNING' AND m.keys IS NOT NULL
ORDER BY a.id
