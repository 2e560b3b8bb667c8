SELECT id, cluster, node, node_name, gpu, serial, xid, cause, scope, step, opened_at, last_at, events, isolation, ended_at
FROM incident
WHERE node IN (SELECT unnest(CAST(:nodes AS uuid[]))) AND ended_at IS NULL
ORDER BY id
