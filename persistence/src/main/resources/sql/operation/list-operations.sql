SELECT id, tenant, kind, actor, cluster, node, subject, state, total_count, left_count, step, deadline, at_deadline,
       created_at, ended_at, version
FROM operation
WHERE tenant = :tenant AND (CAST(:before AS uuid) IS NULL OR id < CAST(:before AS uuid))
ORDER BY id DESC
LIMIT :limit
