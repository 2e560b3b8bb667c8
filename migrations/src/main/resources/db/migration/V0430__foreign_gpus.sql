SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Each GPU as the loop that looks sees it. What is kept of it is reserved for waiting jobs, or held by pods that are not
-- Fairlead's. A node tells how much those hold, not of which GPUs: it is put on the GPUs that members hold least of, the
-- last ones first.
CREATE VIEW gpu_seen WITH (security_invoker = true) AS
WITH reserved AS (
  SELECT CAST(m -> 'node' ->> 'value' AS uuid) AS node, CAST(g ->> 'index' AS int) AS gpu,
         sum(CAST(g ->> 'milli' AS int)) AS milli
  FROM reservation r
  CROSS JOIN LATERAL jsonb_array_elements(r.members) AS m
  CROSS JOIN LATERAL jsonb_array_elements(m -> 'gpus') AS g
  GROUP BY 1, 2
), others AS (
  SELECT g.node, g.idx AS gpu,
         greatest(0, least(1000 - g.allocated_milli, n.foreign_gpu - coalesce(sum(1000 - g.allocated_milli) OVER (
           PARTITION BY g.node ORDER BY g.allocated_milli, g.idx DESC
           ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0))) AS milli
  FROM gpu_slot g
  JOIN node n ON n.id = g.node
  WHERE n.foreign_gpu > 0
)
SELECT g.node, g.idx AS gpu, n.cluster, coalesce(n.pool, '') AS pool, n.gpu_model AS model,
       CASE WHEN n.state IN ('QUARANTINED', 'UNREACHABLE') OR g.state IN ('FAILED', 'UNKNOWN')
                 OR c.state IN ('DEGRADED', 'UNREACHABLE') THEN 'SICK'
            WHEN n.state IN ('CORDONED', 'DRAINING') OR c.state IN ('DRAINING', 'DISABLED') THEN 'MAINTENANCE'
            ELSE 'FREE' END AS state,
       CAST(least(1000, coalesce(k.milli, 0) + coalesce(o.milli, 0)) AS int) AS kept_milli
FROM gpu_slot g
JOIN node n ON n.id = g.node
JOIN cluster c ON c.id = n.cluster
LEFT JOIN reserved k ON k.node = g.node AND k.gpu = g.idx
LEFT JOIN others o ON o.node = g.node AND o.gpu = g.idx
WHERE n.state <> 'RETIRED';
GRANT SELECT ON gpu_seen TO fairlead_loops;
