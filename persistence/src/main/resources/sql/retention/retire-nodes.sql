-- Nodes without references: no live attempt, no allocation, no operation that is still shown. Statistics from before a fleet was
-- removed count no retired nodes, so no step may cost more per node than an index lookup: nodes in use are read once into a
-- hash table, and nodes and slots are grouped instead of joined.
WITH old AS (
  SELECT n.id FROM node n
  WHERE n.state = 'RETIRED'
    AND NOT EXISTS (SELECT FROM allocation x WHERE x.node = n.id)
    AND n.id NOT IN (SELECT DISTINCT m.node FROM attempt a JOIN member m ON m.attempt = a.id WHERE a.live)
    AND NOT EXISTS (SELECT FROM operation o WHERE o.node = n.id)
  ORDER BY n.id
  LIMIT :limit
  FOR UPDATE SKIP LOCKED
), slots AS (
  DELETE FROM gpu_slot g USING old WHERE g.node = old.id
  RETURNING g.*
), gone AS (
  DELETE FROM node n USING old WHERE n.id = old.id
  RETURNING n.*
), parts AS (
  SELECT g.id, g.cluster, g.name, g.cordon, to_jsonb(g) AS node_row, NULL::int AS idx, NULL::jsonb AS gpu_row FROM gone g
  UNION ALL
  SELECT s.node, NULL, NULL, NULL, NULL, s.idx, to_jsonb(s) FROM slots s
)
INSERT INTO node_retired (id, cluster, name, cordon, node_row, gpu_rows)
SELECT p.id, (array_agg(p.cluster) FILTER (WHERE p.idx IS NULL))[1], max(p.name), max(p.cordon),
       (array_agg(p.node_row) FILTER (WHERE p.idx IS NULL))[1],
       coalesce(jsonb_agg(p.gpu_row ORDER BY p.idx) FILTER (WHERE p.idx IS NOT NULL), '[]')
FROM parts p
GROUP BY p.id
