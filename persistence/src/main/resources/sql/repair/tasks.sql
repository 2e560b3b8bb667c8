SELECT content
FROM repair_task
WHERE repair = :repair
ORDER BY id
