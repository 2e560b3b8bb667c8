-- A row without a node represents the whole cluster. Overlapping stays are merged, so that no entry is repeated.
SELECT s.node, s.cluster, lower(stay) AS since, upper(stay) AS until
FROM (
  SELECT m.node, t.cluster,
         range_agg(tstzrange(t.created_at, coalesce(t.ended_at + interval '10 minutes', :forever), '[]')) AS stays
  FROM attempt t
  JOIN member m ON m.attempt = t.id
  WHERE t.job = :job AND t.tenant = :tenant AND (t.ended_at IS NULL OR t.ended_at + interval '10 minutes' >= :since)
  GROUP BY GROUPING SETS ((m.node, t.cluster), (t.cluster))
) AS s
CROSS JOIN LATERAL unnest(s.stays) AS stay
ORDER BY s.node NULLS FIRST, s.cluster, stay
LIMIT :limit
