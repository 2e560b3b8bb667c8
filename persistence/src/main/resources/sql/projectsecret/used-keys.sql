SELECT key_id, sum(n) AS count
FROM (
  SELECT key_id, count(*) AS n FROM project_secret GROUP BY key_id
  UNION ALL
  SELECT CASE WHEN connection ->> 'sealed' LIKE 'v2:%' THEN split_part(connection ->> 'sealed', ':', 2) ELSE :former END,
    count(*)
  FROM cluster
  WHERE connection ->> 'sealed' IS NOT NULL GROUP BY 1
) AS used
GROUP BY key_id
