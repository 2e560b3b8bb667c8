DELETE FROM operation
WHERE id IN (
  SELECT id FROM operation
  WHERE ended_at < now() - make_interval(secs => :seconds)
  LIMIT :limit
  FOR UPDATE SKIP LOCKED)
