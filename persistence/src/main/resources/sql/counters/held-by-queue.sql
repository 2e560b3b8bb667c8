WITH held AS MATERIALIZED (
  SELECT a.id, j.queue, NOT (j.spec #>> '{preemption,allowed}')::boolean AS firm
  FROM attempt a
  JOIN job j ON j.id = a.job
  WHERE a.live
)
SELECT h.queue AS node, m.model, m.capacity, r.resource, sum(r.amount)::bigint AS used,
  coalesce(sum(r.amount) FILTER (WHERE h.firm), 0)::bigint AS firm
FROM held h
JOIN member m ON m.attempt = h.id
CROSS JOIN LATERAL (
  VALUES ('cpu', m.cpu), ('memory', m.memory_mib), ('gpu', m.gpu)
  UNION ALL
  SELECT key, value::bigint FROM jsonb_each_text(m.extended)
) AS r (resource, amount)
WHERE m.standing IS DISTINCT FROM 'LEFT'
GROUP BY h.queue, m.model, m.capacity, r.resource
HAVING sum(r.amount) <> 0
