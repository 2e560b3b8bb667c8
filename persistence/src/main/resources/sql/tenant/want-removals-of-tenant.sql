INSERT INTO namespace_removal (cluster, namespace, project, tenant)
SELECT c.id, p.namespace, p.id, p.tenant
FROM project p
CROSS JOIN cluster c
WHERE p.tenant = :tenant
  AND NOT EXISTS (SELECT FROM project o WHERE o.namespace = p.namespace AND o.tenant <> p.tenant)
ORDER BY c.id, p.namespace
ON CONFLICT DO NOTHING
