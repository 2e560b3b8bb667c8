UPDATE cluster AS c
SET connection = jsonb_set(c.connection, '{sealed}', to_jsonb(r.sealed))
FROM json_to_recordset(CAST(:rows AS json)) AS r (id uuid, sealed text)
WHERE c.id = r.id
