SELECT cluster, namespace, tenant, project, mapped_by, mapped_at
FROM front_namespace
WHERE CAST(:cluster AS uuid) IS NULL OR cluster = CAST(:cluster AS uuid)
ORDER BY cluster, namespace
