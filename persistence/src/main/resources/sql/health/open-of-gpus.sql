SELECT id, cluster, node, node_name, gpu, serial, xid, cause, scope, step, opened_at, last_at, events, isolation, ended_at
FROM incident
WHERE gpu IN (SELECT unnest(:gpus)) AND ended_at IS NULL
ORDER BY id
