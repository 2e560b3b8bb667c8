-- Deletes all kinds of intervals, labels of attempts without a later interval, and use by API keys, which gates delete only while
-- a service has keys. The summed hours remain.
WITH spans AS (
  DELETE FROM gpu_interval
  WHERE ctid IN (
    SELECT ctid FROM gpu_interval
    WHERE ended_ms < (extract(epoch FROM now()) - :seconds) * 1000
    ORDER BY ended_ms
    LIMIT :limit)
  RETURNING 1
), waits AS (
  DELETE FROM wait_interval
  WHERE ctid IN (
    SELECT ctid FROM wait_interval
    WHERE ended_ms < (extract(epoch FROM now()) - :seconds) * 1000
    ORDER BY ended_ms
    LIMIT :limit)
  RETURNING 1
), uses AS (
  DELETE FROM usage_interval
  WHERE (attempt, role, idx, started_ms, ended_ms) IN (
    SELECT attempt, role, idx, started_ms, ended_ms FROM usage_interval
    WHERE ended_ms < (extract(epoch FROM now()) - :seconds) * 1000
    ORDER BY ended_ms
    LIMIT :limit)
  RETURNING attempt
), labels AS (
  DELETE FROM attempt_label
  WHERE attempt IN (SELECT attempt FROM uses)
    AND NOT EXISTS (
      SELECT FROM usage_interval u
      WHERE u.attempt = attempt_label.attempt AND u.ended_ms >= (extract(epoch FROM now()) - :seconds) * 1000)
    AND NOT EXISTS (SELECT FROM gpu_held h WHERE h.attempt = attempt_label.attempt)
), keys AS (
  DELETE FROM service_key_hour
  WHERE (service, name, hour) IN (
    SELECT service, name, hour FROM service_key_hour
    WHERE hour < now() - make_interval(secs => :seconds)
    ORDER BY hour
    LIMIT :limit
    FOR UPDATE SKIP LOCKED)
  RETURNING 1
)
SELECT (SELECT count(*) FROM spans) + (SELECT count(*) FROM waits) + (SELECT count(*) FROM uses) + (SELECT count(*) FROM keys)
