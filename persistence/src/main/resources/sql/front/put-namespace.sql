INSERT INTO front_namespace (cluster, namespace, tenant, project, mapped_by, mapped_at)
VALUES (:cluster, :namespace, :tenant, :project, :mappedBy, :mappedAt)
ON CONFLICT (cluster, namespace) DO UPDATE
SET tenant = EXCLUDED.tenant, project = EXCLUDED.project, mapped_by = EXCLUDED.mapped_by, mapped_at = EXCLUDED.mapped_at
