SELECT v.id, v.tenant, v.project, v.name, v.size_gib, v.storage_class, v.access, v.retain, v.state, v.cluster, v.claim, v.claim_uid, v.provisioned_at, v.bound_at, v.node_labels, v.message, v.missing_since, v.created_at,
  v.created_by, v.version
FROM volume AS v
WHERE (v.project, v.name) IN
  (SELECT r.project, r.name FROM json_to_recordset(CAST(:keys AS json)) AS r (project uuid, name text))
ORDER BY v.name, v.project
FOR NO KEY UPDATE
