UPDATE service_key
SET revoked_at = :revoked_at
WHERE tenant = :tenant AND service = :service AND name = :name AND revoked_at IS NULL
