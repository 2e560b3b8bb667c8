INSERT INTO idempotency_key (tenant, principal, operation, key, request_hash, reference)
VALUES (:tenant, :principal, :operation, :key, :hash, :reference)
ON CONFLICT (tenant, principal, operation, key) DO UPDATE
SET request_hash = excluded.request_hash, reference = excluded.reference, created_at = excluded.created_at
