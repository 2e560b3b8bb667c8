SELECT content
FROM repair_task
WHERE ended_at IS NULL OR repair IN (SELECT id FROM repair WHERE ended_at IS NULL)
ORDER BY id
