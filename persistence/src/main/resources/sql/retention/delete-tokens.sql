-- Also deletes the tokens that were created with one of these tokens. They ended no later.
DELETE FROM api_token
WHERE id IN (
  SELECT id FROM api_token
  WHERE least(expires_at, revoked_at) < now() - make_interval(secs => :seconds)
  ORDER BY least(expires_at, revoked_at)
  LIMIT :limit
  FOR UPDATE SKIP LOCKED)
