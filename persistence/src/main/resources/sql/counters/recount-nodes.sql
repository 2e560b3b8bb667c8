-- The previous statement locked the rows, so this one sees everything to count.
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
UPDATE node AS n
SET allocated_cpu = coalesce(h.cpu, 0),
    allocated_memory_mib = coalesce(h.memory, 0),
    allocated_gpu = coalesce(h.gpu, 0),
    allocated_pods = coalesce(h.pods, 0),
    allocated_extended = coalesce(x.amounts, '{}'),
    version = n.version + 1
FROM node same
LEFT JOIN held h ON h.node = same.id
LEFT JOIN extended x ON x.node = same.id
WHERE n.id = same.id AND n.id IN (SELECT unnest(CAST(:ids AS uuid[])))
