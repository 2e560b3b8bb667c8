SELECT id, cluster, node, node_name, gpu, serial, xid, cause, scope, step, opened_at, last_at, events, isolation, ended_at
FROM incident
WHERE node = :node AND gpu IS NULL
ORDER BY id DESC
LIMIT 1
