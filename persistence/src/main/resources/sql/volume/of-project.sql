SELECT id, tenant, project, name, size_gib, storage_class, access, retain, state, cluster, claim, claim_uid, provisioned_at, bound_at, node_labels, message, missing_since, created_at,
  created_by, version
FROM volume
WHERE tenant = :tenant AND project = :project
  AND (CAST(:names AS json) IS NULL OR name IN (SELECT json_array_elements_text(CAST(:names AS json))))
ORDER BY name
