SELECT content
FROM repair
WHERE (CAST(:node AS uuid) IS NULL OR node = CAST(:node AS uuid))
  AND (CAST(:before AS uuid) IS NULL OR id < CAST(:before AS uuid))
ORDER BY id DESC
LIMIT :limit
