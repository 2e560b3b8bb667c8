-- Nodes without references: no live attempt, no allocation, no operation that is still shown. Nodes in use are read once into
-- a hash table, because statistics from before a fleet was removed count no retired nodes, and a join would then read all
-- members once per node.
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
), slots_of AS (
  SELECT s.node, jsonb_agg(to_jsonb(s) ORDER BY s.idx) AS rows FROM slots s GROUP BY s.node
), gone AS (
  DELETE FROM node n USING old WHERE n.id = old.id
  RETURNING n.*
)
INSERT INTO node_retired (id, cluster, name, cordon, node_row, gpu_rows)
SELECT g.id, g.cluster, g.name, g.cordon, to_jsonb(g), coalesce(s.rows, '[]')
FROM gone g LEFT JOIN slots_of s ON s.node = g.id
