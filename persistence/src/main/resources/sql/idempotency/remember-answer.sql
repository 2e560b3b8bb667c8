INSERT INTO idempotency_key (tenant, principal, operation, key, request_hash, reference)
SELECT CAST(:tenant AS uuid), principal, operation, key, hash, reference
FROM unnest(CAST(:principals AS text[]), CAST(:operations AS text[]), CAST(:keys AS text[]),
  CAST(:hashes AS text[]), CAST(:references AS text[])) AS answered (principal, operation, key, hash, reference)
ON CONFLICT (tenant, principal, operation, key) DO UPDATE
SET request_hash = excluded.request_hash, reference = excluded.reference, created_at = excluded.created_at
