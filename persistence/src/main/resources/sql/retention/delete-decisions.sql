DELETE FROM job_decision
WHERE (job, id) IN (
  SELECT job, id FROM job_decision
  WHERE at < now() - make_interval(secs => :seconds)
  ORDER BY at
  LIMIT :limit)
