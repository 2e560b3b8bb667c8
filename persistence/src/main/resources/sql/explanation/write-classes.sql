INSERT INTO explanation (class_key, computed_at, body)
SELECT r.class_key, r.computed_at, r.body
FROM json_to_recordset(CAST(:rows AS json)) AS r (class_key text, computed_at timestamptz, body jsonb)
ORDER BY r.class_key
ON CONFLICT (class_key) DO UPDATE SET computed_at = excluded.computed_at, body = excluded.body
