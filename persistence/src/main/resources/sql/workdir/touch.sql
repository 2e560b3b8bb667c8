-- A submit that claims the archive holds the row, which protects the archive better than this time.
UPDATE workdir SET used_at = now()
WHERE id IN (
  SELECT id FROM workdir
  WHERE id = :id AND state = 'STORED' AND used_at < now() - interval '10 minutes'
  FOR UPDATE SKIP LOCKED)
