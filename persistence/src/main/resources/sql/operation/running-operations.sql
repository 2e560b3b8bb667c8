SELECT id, tenant, kind, actor, cluster, node, subject, state, total_count, left_count, step, deadline, at_deadline,
       created_at, ended_at, version
FROM operation
WHERE ended_at IS NULL
ORDER BY id
