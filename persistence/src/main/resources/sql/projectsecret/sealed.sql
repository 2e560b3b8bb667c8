SELECT s.id, s.tenant, s.project, s.name, s.version, s.key_id, s.data_key, s.content
FROM json_to_recordset(CAST(:rows AS json)) AS r (id uuid, version bigint)
JOIN project_secret AS s ON s.id = r.id AND s.version = r.version
WHERE s.tenant = :tenant AND s.project = :project
ORDER BY s.name
