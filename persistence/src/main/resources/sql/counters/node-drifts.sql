WITH held AS (
  SELECT m.node, sum(m.cpu) AS cpu, sum(m.memory_mib) AS memory, sum(m.gpu) AS gpu, sum(m.pods) AS pods
  FROM member m JOIN attempt a ON a.id = m.attempt
  WHERE a.live AND m.standing IS DISTINCT FROM 'LEFT'
  GROUP BY m.node
), extended AS (
  SELECT node, jsonb_object_agg(name, amount) AS amounts
  FROM (
    SELECT m.node, e.key AS name, sum(e.value::bigint) AS amount
    FROM member m JOIN attempt a ON a.id = m.attempt CROSS JOIN LATERAL jsonb_each_text(m.extended) e
    WHERE a.live AND m.standing IS DISTINCT FROM 'LEFT'
    GROUP BY m.node, e.key
    HAVING sum(e.value::bigint) <> 0
  ) AS each_amount
  GROUP BY node
)
SELECT n.id, r.counter, r.counted, r.held::bigint
FROM node n
LEFT JOIN held h ON h.node = n.id
LEFT JOIN extended x ON x.node = n.id
CROSS JOIN LATERAL (
  VALUES ('cpu', n.allocated_cpu, coalesce(h.cpu, 0)),
         ('memory', n.allocated_memory_mib, coalesce(h.memory, 0)),
         ('gpu', n.allocated_gpu, coalesce(h.gpu, 0)),
         ('pods', n.allocated_pods, coalesce(h.pods, 0)),
         ('extended', (n.allocated_extended <> coalesce(x.amounts, '{}'))::int, 0)
) AS r (counter, counted, held)
WHERE r.counted <> r.held
ORDER BY n.id, r.counter
