INSERT INTO supply_request (id, pool, settled_at, ended_at, content, version)
VALUES (:id, :pool, CAST(:settled AS timestamptz), CAST(:ended AS timestamptz), CAST(:content AS jsonb), :version)
