SELECT content
FROM repair_task
WHERE cluster = :cluster AND content ->> 'poweredOffAt' IS NOT NULL
  AND repair IN (SELECT id FROM repair WHERE ended_at IS NULL)
ORDER BY id
