SELECT content
FROM supply_request
WHERE ended_at IS NULL OR settled_at > CAST(:from AS timestamptz)
ORDER BY id
