DELETE FROM attempt_efficiency
WHERE attempt IN (
  SELECT attempt FROM attempt_efficiency
  WHERE since < now() - make_interval(secs => :seconds)
  ORDER BY since
  LIMIT :limit)
