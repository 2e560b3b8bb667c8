SELECT content FROM health_test_run WHERE ended_at IS NULL ORDER BY id
