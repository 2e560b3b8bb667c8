DELETE FROM preemption_count
WHERE ctid IN (
  SELECT ctid FROM preemption_count
  WHERE day < (now() - make_interval(secs => :seconds))::date
  ORDER BY day
  LIMIT :limit)
