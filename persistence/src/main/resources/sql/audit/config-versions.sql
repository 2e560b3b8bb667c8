SELECT version, at, kind, name, actor, operation, reason, reverts, before, after
FROM config_version
WHERE tenant = :tenant
  AND version < :before
  AND (CAST(:name AS text) IS NULL OR name = :name)
  AND kind = ANY (string_to_array(:kinds, ','))
ORDER BY version DESC
LIMIT :limit
