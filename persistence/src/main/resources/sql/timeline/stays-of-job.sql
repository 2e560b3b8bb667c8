-- A row without a node is the cluster as a whole.
SELECT m.node, t.cluster, min(t.created_at) AS since,
       max(coalesce(t.ended_at + interval '10 minutes', :forever)) AS until
FROM attempt t
JOIN member m ON m.attempt = t.id
WHERE t.job = :job AND t.tenant = :tenant AND (t.ended_at IS NULL OR t.ended_at >= :since)
GROUP BY GROUPING SETS ((m.node, t.cluster), (t.cluster))
ORDER BY m.node NULLS FIRST, t.cluster
LIMIT :limit
