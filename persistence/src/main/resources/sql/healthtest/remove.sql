DELETE FROM health_test WHERE name = :name
