-- Use has no cause where the hour was added up before GPUs had a capacity type, or by a replica of before, which leaves
-- the cluster out; what is stored of the causes of such an hour is of an earlier sum.
SELECT x.name AS tenant_name, s.tenant, s.model, s.capacity, s.cause, sum(s.milli_ms)::bigint AS milli_ms
FROM (
  SELECT h.tenant, h.model, h.capacity, h.cause, h.milli_ms
  FROM spill_hour h
  WHERE h.hour_ms >= :from AND h.hour_ms >= (SELECT placed_ms FROM usage_mark) AND h.hour_ms < :to
    AND (CAST(:tenant AS uuid) IS NULL OR h.tenant = CAST(:tenant AS uuid))
    AND (h.tenant, h.hour_ms) NOT IN (
      SELECT u.tenant, u.hour_ms
      FROM usage_hour u
      WHERE u.cluster IS NULL AND u.hour_ms >= :from AND u.hour_ms < :to
        AND (CAST(:tenant AS uuid) IS NULL OR u.tenant = CAST(:tenant AS uuid)))
  UNION ALL
  SELECT u.tenant, u.model, u.capacity, 'UNKNOWN', u.milli_ms
  FROM usage_hour u
  WHERE u.hour_ms >= :from AND u.hour_ms < least(:to, coalesce((SELECT placed_ms FROM usage_mark), :to))
    AND u.capacity <> 'RESERVED' AND (CAST(:tenant AS uuid) IS NULL OR u.tenant = CAST(:tenant AS uuid))
  UNION ALL
  SELECT u.tenant, u.model, u.capacity, 'UNKNOWN', u.milli_ms
  FROM usage_hour u
  WHERE u.cluster IS NULL AND u.hour_ms >= :from AND u.hour_ms >= (SELECT placed_ms FROM usage_mark) AND u.hour_ms < :to
    AND u.capacity <> 'RESERVED' AND (CAST(:tenant AS uuid) IS NULL OR u.tenant = CAST(:tenant AS uuid))
) AS s
LEFT JOIN tenant x ON x.id = s.tenant
GROUP BY 1, 2, 3, 4, 5
ORDER BY 1, 2, 3, 4, 5
