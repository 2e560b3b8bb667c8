SELECT content
FROM repair
WHERE id = :id
