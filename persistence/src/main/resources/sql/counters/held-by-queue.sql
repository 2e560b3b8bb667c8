SELECT j.queue AS node, m.model, m.capacity, r.resource, sum(r.amount)::bigint AS used
FROM attempt a
JOIN job j ON j.id = a.job
JOIN member m ON m.attempt = a.id
CROSS JOIN LATERAL (
  VALUES ('cpu', m.cpu), ('memory', m.memory_mib), ('gpu', m.gpu)
  UNION ALL
  SELECT key, value::bigint FROM jsonb_each_text(m.extended)
) AS r (resource, amount)
WHERE a.live AND m.standing IS DISTINCT FROM 'LEFT'
GROUP BY j.queue, m.model, m.capacity, r.resource
HAVING sum(r.amount) <> 0
