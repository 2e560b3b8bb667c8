UPDATE project_secret
SET sizes = CAST(:sizes AS jsonb), updated_at = :updatedAt, updated_by = :updatedBy, key_id = :keyId,
    data_key = :dataKey, content = :content, version = :version
WHERE tenant = :tenant AND id = :id AND version = :version - 1
