SELECT content
FROM repair
WHERE ended_at IS NULL
  AND (CAST(:node AS uuid) IS NULL OR node = CAST(:node AS uuid))
  AND (CAST(:before AS uuid) IS NULL OR id < CAST(:before AS uuid))
ORDER BY id DESC
LIMIT :limit
