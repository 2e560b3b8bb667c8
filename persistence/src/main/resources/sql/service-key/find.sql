SELECT service, name, tenant, hash, created_by, created_at, expires_at, revoked_at, requests_per_minute,
  tokens_per_minute, last_used_at
FROM service_key
WHERE tenant = :tenant AND service = :service AND name = :name
