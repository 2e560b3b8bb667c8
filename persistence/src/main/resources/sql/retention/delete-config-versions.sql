DELETE FROM config_version
WHERE (tenant, version) IN (
  SELECT tenant, version FROM config_version
  WHERE at < now() - make_interval(secs => :seconds)
  ORDER BY at
  LIMIT :limit)
