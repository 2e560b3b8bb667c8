INSERT INTO campaign (id, ended_at, content, version)
VALUES (:id, CAST(:ended AS timestamptz), CAST(:content AS jsonb), :version)
