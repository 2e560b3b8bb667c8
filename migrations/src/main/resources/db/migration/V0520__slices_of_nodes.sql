SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- What a member holds of the slices that its node offers as an amount, in thousandths of a GPU together, and since when, in
-- milliseconds since 1970. On which of the node's GPUs they lie is not told, so no slot of a GPU has them. What is held at
-- the upgrade is not in it.
CREATE TABLE slice_allocation (
  attempt  uuid   NOT NULL REFERENCES attempt ON DELETE CASCADE,
  role     text   COLLATE "C" NOT NULL,
  idx      int    NOT NULL,
  node     uuid   NOT NULL,
  milli    int    NOT NULL CHECK (milli > 0),
  since_ms bigint NOT NULL,
  pool     text   COLLATE "C",
  PRIMARY KEY (attempt, role, idx)
);
ALTER TABLE slice_allocation ENABLE ROW LEVEL SECURITY;
ALTER TABLE slice_allocation FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON slice_allocation TO fairlead_app
  USING (EXISTS (SELECT FROM attempt a WHERE a.id = slice_allocation.attempt));
CREATE POLICY all_tenants ON slice_allocation TO fairlead_loops USING (true);
GRANT SELECT ON slice_allocation TO fairlead_app;
GRANT SELECT, INSERT, DELETE ON slice_allocation TO fairlead_loops;

-- All that members hold of GPUs; -1 is no GPU but the slices of the node. A replica of before that ends an attempt leaves
-- its row of slices behind, so readers ask whether the attempt lives.
CREATE VIEW gpu_held WITH (security_invoker = true) AS
SELECT a.attempt, a.role, a.idx, a.node, a.gpu, a.milli, a.slices, a.since_ms, a.pool
FROM allocation a
UNION ALL
SELECT s.attempt, s.role, s.idx, s.node, -1, s.milli, 0, s.since_ms, s.pool
FROM slice_allocation s;
GRANT SELECT ON gpu_held TO fairlead_app, fairlead_loops;

-- Each GPU as before; and the slices that a node offers, which are sick or in maintenance when their node is.
CREATE OR REPLACE VIEW gpu_seen WITH (security_invoker = true) AS
WITH reserved AS (
  SELECT CAST(m -> 'node' ->> 'value' AS uuid) AS node, CAST(g ->> 'index' AS int) AS gpu,
         sum(CAST(g ->> 'milli' AS int)) AS milli
  FROM reservation r
  CROSS JOIN LATERAL jsonb_array_elements(r.members) AS m
  CROSS JOIN LATERAL jsonb_array_elements(m -> 'gpus') AS g
  GROUP BY 1, 2
), slots AS (
  SELECT g.node, g.idx AS gpu, g.state IN ('FAILED', 'UNKNOWN') AS sick, coalesce(k.milli, 0) AS reserved,
         greatest(0, 1000 - g.allocated_milli - coalesce(k.milli, 0)) AS room
  FROM gpu_slot g
  LEFT JOIN reserved k ON k.node = g.node AND k.gpu = g.idx
), others AS (
  SELECT s.node, s.gpu,
         greatest(0, least(s.room, n.foreign_gpu - coalesce(sum(s.room) OVER (
           PARTITION BY s.node ORDER BY s.sick, s.room DESC, s.gpu DESC
           ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0))) AS milli
  FROM slots s
  JOIN node n ON n.id = s.node
  WHERE n.foreign_gpu > 0
)
SELECT s.node, s.gpu, n.cluster, coalesce(n.pool, '') AS pool, n.gpu_model AS model,
       CASE WHEN n.state IN ('QUARANTINED', 'UNREACHABLE') OR s.sick OR c.state IN ('DEGRADED', 'UNREACHABLE') THEN 'SICK'
            WHEN n.state IN ('CORDONED', 'DRAINING') OR c.state IN ('DRAINING', 'DISABLED') THEN 'MAINTENANCE'
            ELSE 'FREE' END AS state,
       CAST(least(1000, s.reserved + coalesce(o.milli, 0)) AS int) AS kept_milli
FROM slots s
JOIN node n ON n.id = s.node
JOIN cluster c ON c.id = n.cluster
LEFT JOIN others o ON o.node = s.node AND o.gpu = s.gpu
WHERE n.state <> 'RETIRED'
UNION ALL
SELECT n.id, -1, n.cluster, coalesce(n.pool, ''), n.gpu_model,
       CASE WHEN n.state IN ('QUARANTINED', 'UNREACHABLE') OR c.state IN ('DEGRADED', 'UNREACHABLE') THEN 'SICK'
            WHEN n.state IN ('CORDONED', 'DRAINING') OR c.state IN ('DRAINING', 'DISABLED') THEN 'MAINTENANCE'
            ELSE 'FREE' END,
       0
FROM node n
JOIN cluster c ON c.id = n.cluster
WHERE n.state <> 'RETIRED' AND CAST(n.allocatable_extended AS text) LIKE '%"nvidia.com/mig-%';
