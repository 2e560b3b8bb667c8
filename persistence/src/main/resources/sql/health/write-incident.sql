INSERT INTO incident (id, cluster, node, node_name, gpu, serial, xid, cause, scope, step, opened_at, last_at, events, isolation, ended_at)
VALUES (:id, :cluster, :node, :node_name, :gpu, :serial, :xid, :cause, :scope, :step, CAST(:opened AS timestamptz),
        CAST(:last AS timestamptz), :events, :isolation, CAST(:ended AS timestamptz))
ON CONFLICT (id) DO UPDATE
SET serial = excluded.serial, xid = excluded.xid, cause = excluded.cause, scope = excluded.scope, step = excluded.step,
    last_at = excluded.last_at, events = excluded.events, isolation = excluded.isolation, ended_at = excluded.ended_at
