-- The few open incidents have a separate index.
SELECT id, cluster, node, node_name, gpu, serial, xid, cause, scope, step, opened_at, last_at, events, isolation, ended_at
FROM incident
WHERE ended_at IS NULL
  AND (CAST(:node AS uuid) IS NULL OR node = CAST(:node AS uuid))
  AND (CAST(:before AS uuid) IS NULL OR id < CAST(:before AS uuid))
ORDER BY id DESC
LIMIT :limit
