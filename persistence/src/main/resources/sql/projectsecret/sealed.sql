SELECT id, name, key_id, data_key, content
FROM project_secret
WHERE tenant = :tenant AND project = :project
  AND name IN (SELECT json_array_elements_text(CAST(:names AS json)))
ORDER BY name
