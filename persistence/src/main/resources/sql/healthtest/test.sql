SELECT content FROM health_test WHERE name = :name
