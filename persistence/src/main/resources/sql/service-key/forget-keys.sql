DELETE FROM service_key
WHERE tenant = :tenant AND service = :service AND least(revoked_at, expires_at) < :before
  AND (last_used_at IS NULL OR last_used_at < :before)
