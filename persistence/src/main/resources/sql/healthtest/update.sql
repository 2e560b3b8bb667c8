UPDATE health_test_run
SET ended_at = CAST(:ended AS timestamptz), content = CAST(:content AS jsonb)
WHERE id = :id AND ended_at IS NULL
