SELECT content
FROM repair
WHERE ended_at IS NULL
ORDER BY id
