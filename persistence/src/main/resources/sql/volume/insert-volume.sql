INSERT INTO volume
  (id, tenant, project, name, size_gib, storage_class, access, retain, state, cluster, claim, claim_uid, provisioned_at, bound_at, node_labels, message, created_at,
  created_by, version)
VALUES
  (:id, :tenant, :project, :name, :sizeGib, :storageClass, :access, :retain, :state, :cluster, :claim, :claimUid, :provisionedAt, :boundAt, CAST(:nodeLabels AS jsonb), :message,
   :createdAt, :createdBy, :version)
ON CONFLICT (project, name) DO NOTHING
