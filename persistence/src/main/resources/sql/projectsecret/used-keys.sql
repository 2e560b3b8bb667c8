SELECT key_id, sum(n) AS count
FROM (
  SELECT key_id, count(*) AS n FROM project_secret GROUP BY key_id
  UNION ALL
  SELECT split_part(connection ->> 'sealed', ':', 2), count(*)
  FROM cluster
  WHERE connection ->> 'sealed' IS NOT NULL GROUP BY 1
) AS used
GROUP BY key_id
