SET LOCAL ROLE fairlead_owner;

-- What jobs that are never evicted use of the nominal quota of the node itself: of a queue without limits the next node
-- above that has some. Counted here once, from then on in the transaction of the allocation.
ALTER TABLE quota_usage ADD COLUMN firm bigint NOT NULL DEFAULT 0;

SET LOCAL ROLE fairlead_loops;

WITH RECURSIVE limited AS (
  SELECT n.id, EXISTS (SELECT FROM quota_limit l WHERE l.node = n.id) AS limited, n.parent FROM quota_node n
), bearer AS (
  SELECT id AS queue, id AS node, limited, parent FROM limited
  UNION ALL
  SELECT b.queue, l.id, l.limited, l.parent FROM bearer b JOIN limited l ON l.id = b.parent WHERE NOT b.limited
), firm AS (
  SELECT b.node, m.model, m.capacity, r.resource, sum(r.amount)::bigint AS amount
  FROM attempt a
  JOIN job j ON j.id = a.job AND NOT (j.spec #>> '{preemption,allowed}')::boolean
  JOIN bearer b ON b.queue = j.queue AND b.limited
  JOIN member m ON m.attempt = a.id AND m.standing IS DISTINCT FROM 'LEFT'
  CROSS JOIN LATERAL (
    VALUES ('cpu', m.cpu), ('memory', m.memory_mib), ('gpu', m.gpu)
    UNION ALL
    SELECT key, value::bigint FROM jsonb_each_text(m.extended)
  ) AS r (resource, amount)
  WHERE a.live
  GROUP BY b.node, m.model, m.capacity, r.resource
)
UPDATE quota_usage u SET firm = f.amount
FROM firm f
WHERE (u.node, u.model, u.capacity, u.resource) = (f.node, f.model, f.capacity, f.resource);
