SELECT id, tenant, project, name, sizes, created_at, updated_at, updated_by, version
FROM project_secret
WHERE tenant = :tenant AND project = :project
  AND (CAST(:names AS json) IS NULL OR name IN (SELECT json_array_elements_text(CAST(:names AS json))))
ORDER BY name
