SELECT request_hash, reference FROM idempotency_key
WHERE tenant = :tenant AND principal = :principal AND operation = :operation AND key = :key
  AND created_at > now() - interval '24 hours'
