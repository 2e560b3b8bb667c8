INSERT INTO volume_transfer (id, tenant, project, target, ended_at, version, content)
VALUES (:id, :tenant, :project, :target, CAST(:ended AS timestamptz), :version, CAST(:content AS jsonb))
