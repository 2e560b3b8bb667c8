SELECT content FROM model_service ORDER BY id
