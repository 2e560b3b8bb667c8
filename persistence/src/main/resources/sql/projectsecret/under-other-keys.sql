SELECT id, tenant, project, name, key_id, data_key
FROM project_secret
WHERE key_id IN (SELECT unnest(string_to_array(:others, ','))) AND id > :after
ORDER BY id
LIMIT :most
FOR UPDATE SKIP LOCKED
