DELETE FROM config_version
WHERE tenant = :tenant AND kind = :kind AND name = :name
  AND version <= (SELECT version FROM config_version
                  WHERE tenant = :tenant AND kind = :kind AND name = :name
                  ORDER BY version DESC OFFSET :kept LIMIT 1)
