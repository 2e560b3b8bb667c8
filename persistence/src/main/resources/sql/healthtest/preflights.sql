SELECT content
FROM health_test_run
WHERE wanted_by IS NOT NULL
  AND (ended_at IS NULL OR ended_at > CAST(:after AS timestamptz))
ORDER BY id
