-- Runs once in the lifetime of a supervisor. The few open incidents have a separate index.
SELECT id, cluster, node, node_name, gpu, serial, xid, cause, scope, step, opened_at, last_at, events, isolation, ended_at
FROM incident
WHERE cluster = :cluster AND ended_at IS NULL
ORDER BY id
