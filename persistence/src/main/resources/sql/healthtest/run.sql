SELECT content FROM health_test_run WHERE id = :id
