-- Returns whether a GPU is missing, new, or different from its open span. The GPUs of the fleet are read once instead of twice, and most samples
-- find no difference.
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
), seen AS MATERIALIZED (
  SELECT s.*, p.owner, p.capacity FROM gpu_seen s JOIN paid p ON p.id = s.node
)
SELECT EXISTS (
  SELECT FROM seen s
  FULL JOIN (SELECT * FROM gpu_interval WHERE ended_ms IS NULL) f ON f.node = s.node AND f.gpu = s.gpu
  WHERE (s.node, s.cluster, s.pool, s.owner, s.model, s.capacity, s.state, s.kept_milli)
    IS DISTINCT FROM (f.node, f.cluster, f.pool, f.owner, f.model, f.capacity, f.state, f.kept_milli))
