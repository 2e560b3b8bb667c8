SELECT content FROM health_test ORDER BY name
