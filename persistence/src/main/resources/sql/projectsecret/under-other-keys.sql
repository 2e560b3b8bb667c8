SELECT id, tenant, project, name, key_id, data_key
FROM project_secret
WHERE key_id IN (SELECT unnest(string_to_array(:others, ',')))
ORDER BY key_id, id
LIMIT :most
FOR UPDATE SKIP LOCKED
