UPDATE project_secret AS s
SET key_id = r.key_id, data_key = r.data_key
FROM json_to_recordset(CAST(:rows AS json)) AS r (id uuid, key_id text, data_key text)
WHERE s.id = r.id
