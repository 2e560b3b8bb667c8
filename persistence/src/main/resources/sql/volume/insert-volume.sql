INSERT INTO volume
  (id, tenant, project, name, size_mib, storage_class, access, created_at, updated_at, updated_by, version)
VALUES
  (:id, :tenant, :project, :name, :sizeMib, :storageClass, :access, :createdAt, :updatedAt, :updatedBy, :version)
ON CONFLICT (project, name) DO NOTHING
