-- Use of one user in one queue is merged into one row, decayed to the time of the newest. Use of less than a GPU-second is deleted.
WITH gone AS (
  DELETE FROM use_history h
  USING (SELECT node, queue, used_by FROM use_history
         GROUP BY node, queue, used_by
         HAVING count(*) > 1 OR max(at) < now() - interval '2 hours') AS several
  WHERE h.node = several.node AND h.queue = several.queue AND h.used_by = several.used_by
  RETURNING h.*
), until AS (
  SELECT node, queue, used_by, greatest(max(at), now() - interval '1 hour') AS at FROM gone
  GROUP BY node, queue, used_by
)
INSERT INTO use_history (node, tenant, queue, used_by, milli_seconds, at)
SELECT g.node, g.tenant, g.queue, g.used_by,
       round(sum(g.milli_seconds
                 * power(0.5, extract(epoch FROM u.at - g.at) * 1000 / n.usage_half_life_millis)))::bigint,
       u.at
FROM gone g
JOIN until u ON u.node = g.node AND u.queue = g.queue AND u.used_by = g.used_by
JOIN quota_node n ON n.id = g.node
WHERE n.usage_half_life_millis IS NOT NULL
GROUP BY g.node, g.tenant, g.queue, g.used_by, u.at
HAVING sum(g.milli_seconds
           * power(0.5, extract(epoch FROM u.at - g.at) * 1000 / n.usage_half_life_millis)) >= 1000
