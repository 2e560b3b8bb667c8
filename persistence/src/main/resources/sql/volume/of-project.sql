SELECT id, tenant, project, name, size_mib, storage_class, access, created_at, updated_at, updated_by, version
FROM volume
WHERE tenant = :tenant AND project = :project AND (CAST(:name AS text) IS NULL OR name = :name)
ORDER BY name
