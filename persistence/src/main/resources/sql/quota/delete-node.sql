DELETE FROM quota_node n
WHERE id = :id AND tenant = :tenant AND version = :version
  AND NOT EXISTS (SELECT FROM quota_usage u WHERE u.node = n.id AND u.used <> 0)
