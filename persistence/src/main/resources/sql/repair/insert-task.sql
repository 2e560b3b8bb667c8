INSERT INTO repair_task (id, repair, cluster, node, ended_at, content, version)
VALUES (:id, :repair, :cluster, :node, CAST(:ended AS timestamptz), CAST(:content AS jsonb), :version)
ON CONFLICT (node) WHERE ended_at IS NULL DO NOTHING
