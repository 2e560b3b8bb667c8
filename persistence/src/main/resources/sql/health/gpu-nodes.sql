WITH alone AS (
  SELECT node FROM quarantine WHERE released_at IS NULL GROUP BY node HAVING bool_and(owner IS NULL)
)
SELECT count(*) AS all_nodes, count(*) FILTER (WHERE n.id IN (SELECT node FROM alone)) AS isolated
FROM node n
WHERE n.state <> 'RETIRED' AND EXISTS (SELECT FROM gpu_slot g WHERE g.node = n.id)
  AND (CAST(:pool AS text) IS NULL OR n.pool = CAST(:pool AS text))
