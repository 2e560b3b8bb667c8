INSERT INTO attempt_progress (attempt, job, tenant, cluster, timeout_ms, counts_from, look_at)
SELECT r.attempt, r.job, r.tenant, r.cluster, r.timeout_ms, r.counts_from, r.look_at
FROM json_to_recordset(CAST(:rows AS json)) AS r (attempt uuid, job uuid, tenant uuid, cluster uuid, timeout_ms bigint,
  counts_from timestamptz, look_at timestamptz)
JOIN cluster c ON c.id = r.cluster
WHERE c.settings ->> 'callback' IS NOT NULL
ORDER BY r.attempt
ON CONFLICT (attempt) DO NOTHING
