SELECT content
FROM supply_request
WHERE ended_at IS NULL
ORDER BY id
