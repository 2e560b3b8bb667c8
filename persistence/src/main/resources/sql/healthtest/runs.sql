SELECT content
FROM health_test_run
WHERE (CAST(:test AS text) IS NULL OR test = CAST(:test AS text))
  AND (CAST(:node AS uuid) IS NULL OR node = CAST(:node AS uuid))
  AND (CAST(:before AS uuid) IS NULL OR id < CAST(:before AS uuid))
ORDER BY id DESC
LIMIT :limit
