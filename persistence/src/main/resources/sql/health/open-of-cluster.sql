-- Once in each supervisor's time: the few open ones stand in an index of their own.
SELECT id, cluster, node, node_name, gpu, serial, xid, cause, scope, step, opened_at, last_at, events, isolation, ended_at
FROM incident
WHERE cluster = :cluster AND ended_at IS NULL
ORDER BY id
