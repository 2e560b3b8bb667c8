SELECT number, request_hash, reference
FROM unnest(CAST(:principals AS text[]), CAST(:operations AS text[]), CAST(:keys AS text[]))
  WITH ORDINALITY AS wanted (principal, operation, key, number)
JOIN idempotency_key USING (principal, operation, key)
WHERE tenant = :tenant AND created_at > least(now(), fairlead_latest(:host)) - interval '24 hours'
