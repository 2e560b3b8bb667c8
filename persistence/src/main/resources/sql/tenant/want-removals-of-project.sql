INSERT INTO namespace_removal (cluster, namespace, project, tenant)
SELECT c.id, :namespace, :project, :tenant
FROM cluster c
ORDER BY c.id
ON CONFLICT DO NOTHING
