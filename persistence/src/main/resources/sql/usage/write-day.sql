-- Sums of a day: :kinds has each kind that is summed, and the dimensions that remain. OFFSET finds the hours of each kind by the index,
-- which PostgreSQL 17 would otherwise read from its start to its end.
INSERT INTO use_fact (kind, period, start_ms, amount, tenant, project, queue, used_by, cluster, pool, model, capacity, service,
                      owner, detail, labels)
SELECT h.kind, 'DAY', :day, sum(h.amount),
       CASE WHEN jsonb_exists(k.dimensions, 'TENANT') THEN h.tenant END,
       CASE WHEN jsonb_exists(k.dimensions, 'PROJECT') THEN h.project END,
       CASE WHEN jsonb_exists(k.dimensions, 'QUEUE') THEN h.queue END,
       CASE WHEN jsonb_exists(k.dimensions, 'USER') THEN h.used_by END,
       CASE WHEN jsonb_exists(k.dimensions, 'CLUSTER') THEN h.cluster END,
       CASE WHEN jsonb_exists(k.dimensions, 'POOL') THEN h.pool END,
       CASE WHEN jsonb_exists(k.dimensions, 'MODEL') THEN h.model END,
       CASE WHEN jsonb_exists(k.dimensions, 'CAPACITY') THEN h.capacity END,
       CASE WHEN jsonb_exists(k.dimensions, 'SERVICE') THEN h.service END,
       CASE WHEN jsonb_exists(k.dimensions, 'OWNER') THEN h.owner END,
       CASE WHEN jsonb_exists(k.dimensions, 'DETAIL') THEN h.detail END,
       h.labels
FROM json_to_recordset(CAST(:kinds AS json)) AS k (kind text, dimensions jsonb)
CROSS JOIN LATERAL (
  SELECT i.*
  FROM use_fact i
  WHERE i.kind = k.kind AND i.period = 'HOUR' AND i.start_ms >= :day AND i.start_ms < :day + 86400000
  OFFSET 0) AS h
GROUP BY 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16
