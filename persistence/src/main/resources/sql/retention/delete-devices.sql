-- Deletes devices that no source has reported for a long time and that have no incident left, with their history. For other devices,
-- deletes only history that is older than the retention of incidents.
WITH old AS (
  SELECT d.uuid FROM gpu_device d
  WHERE d.last_seen < now() - make_interval(secs => :seconds)
    AND NOT EXISTS (SELECT FROM incident i WHERE i.gpu = d.uuid)
  ORDER BY d.uuid
  LIMIT :limit
  FOR UPDATE SKIP LOCKED
), unobserved AS (
  DELETE FROM gpu_device WHERE uuid IN (SELECT uuid FROM old)
  RETURNING uuid
), done AS (
  DELETE FROM gpu_change
  WHERE n IN (
    SELECT c.n FROM gpu_change c JOIN old ON old.uuid = c.gpu
    UNION
    (SELECT n FROM gpu_change WHERE at < now() - make_interval(secs => :changes) ORDER BY at LIMIT :limit))
  RETURNING n
)
SELECT (SELECT count(*) FROM unobserved) + (SELECT count(*) FROM done)
