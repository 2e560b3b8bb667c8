INSERT INTO attempt_label (attempt, tenant, labels)
SELECT r.attempt, r.tenant, r.labels FROM json_to_recordset(CAST(:rows AS json)) AS r (attempt uuid, tenant uuid, labels jsonb)
ON CONFLICT (attempt) DO NOTHING
