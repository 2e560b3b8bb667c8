SELECT id, cluster, job, attempt, nodes, node_names, cause, since, at
FROM hang
WHERE (CAST(:node AS uuid) IS NULL OR nodes @> ARRAY[CAST(:node AS uuid)])
  AND (CAST(:before AS uuid) IS NULL OR id < CAST(:before AS uuid))
ORDER BY id DESC
LIMIT :limit
