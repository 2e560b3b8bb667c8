SELECT i.id, i.cluster, i.node, i.node_name, i.gpu, i.serial, i.xid, i.cause, i.scope, i.step, i.opened_at, i.last_at, i.events, i.isolation, i.ended_at
FROM quarantine q JOIN incident i ON i.id = q.incident
WHERE q.cluster = :cluster AND q.released_at IS NULL AND i.ended_at IS NULL
ORDER BY i.id
