-- Runs after past spans were ended: a sampled GPU without a span begins one.
WITH meaning AS MATERIALIZED (
  SELECT m.ord, m.label, m.value, m.type
  FROM json_to_recordset(CAST(:meanings AS json)) AS m (ord int, label text, value text, type text)
), paid AS MATERIALIZED (
  SELECT n.id, n.pool_tenant AS owner,
         coalesce((SELECT m.type FROM meaning m WHERE n.labels ->> m.label = coalesce(m.value, n.labels ->> m.label)
                   ORDER BY m.ord LIMIT 1), c.capacity_type) AS capacity
  FROM node n
  JOIN cluster c ON c.id = n.cluster
  WHERE n.state <> 'RETIRED'
)
INSERT INTO gpu_interval (node, gpu, cluster, pool, owner, model, capacity, state, kept_milli, started_ms)
SELECT s.node, s.gpu, s.cluster, s.pool, p.owner, s.model, p.capacity, s.state, s.kept_milli, :now
FROM gpu_seen s
JOIN paid p ON p.id = s.node
WHERE NOT EXISTS (SELECT FROM gpu_interval f WHERE f.node = s.node AND f.gpu = s.gpu AND f.ended_ms IS NULL)
