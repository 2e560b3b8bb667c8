SELECT attempt, job, tenant, cluster, timeout_ms, counts_from, called_at
FROM attempt_progress
WHERE look_at <= CAST(:now AS timestamptz)
ORDER BY look_at
LIMIT :most
