-- Returns the number of deleted rows, at most the limit of each table.
WITH announced AS (
  DELETE FROM announced_notice
  WHERE (cluster, id) IN (
    SELECT cluster, id FROM announced_notice
    WHERE deadline < now() - make_interval(secs => :seconds)
    LIMIT :limit
    FOR UPDATE SKIP LOCKED)
  RETURNING 1
), reported AS (
  DELETE FROM health_event
  WHERE (cluster, id) IN (
    SELECT cluster, id FROM health_event
    WHERE received_at < now() - make_interval(secs => :seconds)
    LIMIT :limit
    FOR UPDATE SKIP LOCKED)
  RETURNING 1
)
SELECT (SELECT count(*) FROM announced) + (SELECT count(*) FROM reported)
