WITH announced AS (
  DELETE FROM announced_notice WHERE deadline < now() - make_interval(secs => :seconds))
DELETE FROM health_event
WHERE (cluster, id) IN (
  SELECT cluster, id FROM health_event
  WHERE received_at < now() - make_interval(secs => :seconds)
  LIMIT :limit
  FOR UPDATE SKIP LOCKED)
