INSERT INTO project_secret
  (id, tenant, project, name, sizes, created_at, updated_at, updated_by, key_id, data_key, content, version)
VALUES
  (:id, :tenant, :project, :name, CAST(:sizes AS jsonb), :createdAt, :updatedAt, :updatedBy, :keyId, :dataKey, :content,
   :version)
ON CONFLICT (project, name) DO NOTHING
