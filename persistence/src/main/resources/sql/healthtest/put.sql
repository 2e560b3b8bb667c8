INSERT INTO health_test (name, content) VALUES (:name, CAST(:content AS jsonb))
ON CONFLICT (name) DO UPDATE SET content = EXCLUDED.content
