-- Ends spans of GPUs that are missing from the sample or differ from it, at the time of the sample.
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
UPDATE gpu_interval f SET ended_ms = greatest(f.started_ms, :now)
WHERE f.ended_ms IS NULL
  AND NOT EXISTS (
    SELECT FROM seen s
    WHERE s.node = f.node AND s.gpu = f.gpu AND s.cluster = f.cluster AND s.pool = f.pool AND s.model = f.model
      AND s.state = f.state AND s.kept_milli = f.kept_milli AND s.capacity = f.capacity
      AND s.owner IS NOT DISTINCT FROM f.owner)
