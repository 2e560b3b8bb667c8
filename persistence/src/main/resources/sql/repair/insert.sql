INSERT INTO repair (id, node, ended_at, content, version)
VALUES (:id, :node, CAST(:ended AS timestamptz), CAST(:content AS jsonb), :version)
ON CONFLICT (node) WHERE ended_at IS NULL DO NOTHING
