-- Both kinds of intervals; the hours that they add up to stay.
WITH spans AS (
  DELETE FROM gpu_interval
  WHERE ctid IN (
    SELECT ctid FROM gpu_interval
    WHERE ended_ms < (extract(epoch FROM now()) - :seconds) * 1000
    ORDER BY ended_ms
    LIMIT :limit)
  RETURNING 1
), uses AS (
  DELETE FROM usage_interval
  WHERE (attempt, role, idx) IN (
    SELECT attempt, role, idx FROM usage_interval
    WHERE ended_ms < (extract(epoch FROM now()) - :seconds) * 1000
    ORDER BY ended_ms
    LIMIT :limit)
  RETURNING 1
)
SELECT (SELECT count(*) FROM spans) + (SELECT count(*) FROM uses)
