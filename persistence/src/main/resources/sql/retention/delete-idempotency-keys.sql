DELETE FROM idempotency_key
WHERE (tenant, principal, operation, key) IN (
  SELECT tenant, principal, operation, key FROM idempotency_key
  WHERE created_at < now() - make_interval(secs => :seconds)
  LIMIT :limit
  FOR UPDATE SKIP LOCKED)
