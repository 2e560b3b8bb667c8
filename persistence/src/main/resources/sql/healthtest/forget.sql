DELETE FROM health_test_run
WHERE id IN (SELECT id FROM health_test_run WHERE ended_at < CAST(:before AS timestamptz) LIMIT :most)
