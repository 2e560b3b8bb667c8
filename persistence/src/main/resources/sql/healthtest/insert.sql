INSERT INTO health_test_run (id, test, node, ended_at, content, wanted_by)
VALUES (:id, :test, :node, CAST(:ended AS timestamptz), CAST(:content AS jsonb), CAST(:wanted AS uuid))
