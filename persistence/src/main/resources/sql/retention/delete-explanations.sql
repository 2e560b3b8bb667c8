DELETE FROM explanation
WHERE class_key IN (
  SELECT e.class_key FROM explanation e
  WHERE e.computed_at < now() - make_interval(secs => :seconds)
    AND NOT EXISTS (SELECT FROM job_explanation m WHERE m.class_key = e.class_key)
  LIMIT :limit
  FOR UPDATE SKIP LOCKED)
