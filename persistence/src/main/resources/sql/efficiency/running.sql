-- By the id of the attempt that is in the names of its pods; members that hold no GPU have no series.
SELECT a.id, a.job, a.tenant, p.namespace, m.keys, e.samples, e.mean, e.last, e.memory_peak_mib, e.joules, e.idle_since,
       e.since, e.sampled_at
FROM attempt a
JOIN job j ON j.id = a.job
JOIN project p ON p.id = j.project
CROSS JOIN LATERAL (
  SELECT array_agg(x.role || '-' || x.idx || '-' || x.incarnation) AS keys
  FROM member x
  WHERE x.attempt = a.id AND (jsonb_array_length(x.gpus) > 0 OR x.extended::text LIKE '%nvidia.com/mig-%') AND x.standing IS DISTINCT FROM 'LEFT'
) m
LEFT JOIN attempt_efficiency e ON e.attempt = a.id
WHERE a.id IN (SELECT unnest(CAST(:ids AS uuid[]))) AND a.cluster = :cluster AND a.state = 'RUNNING' AND m.keys IS NOT NULL
ORDER BY a.id
