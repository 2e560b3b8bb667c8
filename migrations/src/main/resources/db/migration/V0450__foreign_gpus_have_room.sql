SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Each GPU as the loop that looks sees it, as before, but for where pods that are not Fairlead's are put: where there is
-- room beside what members hold and what is reserved, and on a GPU that is sick only when no other has room. What is put
-- where it is not counted would be booked as free on the GPU that such a pod really holds.
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
WHERE n.state <> 'RETIRED';
