-- Reads days with sums within the span, otherwise hours, which are found by the index for each such day.
WITH day AS MATERIALIZED (
  SELECT d AS day_ms,
         d >= :from AND d + 86400000 <= :to AND EXISTS (SELECT FROM usage_day_summed s WHERE s.day_ms = d) AS summed
  FROM generate_series(:from - :from % 86400000, :to - 1, 86400000) AS d
), spilled AS (
  SELECT s.tenant, s.model, s.capacity, s.cause, s.milli_ms
  FROM spill_day s
  WHERE s.day_ms >= :from AND s.day_ms < :to AND s.day_ms IN (SELECT day_ms FROM day WHERE summed)
    AND (CAST(:tenant AS uuid) IS NULL OR s.tenant = CAST(:tenant AS uuid))
  UNION ALL
  SELECT h.tenant, h.model, h.capacity, h.cause, h.milli_ms
  FROM day
  CROSS JOIN LATERAL (
    SELECT i.* FROM spill_hour i
    WHERE i.hour_ms >= greatest(:from, day.day_ms) AND i.hour_ms < least(:to, day.day_ms + 86400000)
      AND (CAST(:tenant AS uuid) IS NULL OR i.tenant = CAST(:tenant AS uuid))
    OFFSET 0) AS h
  WHERE NOT day.summed
)
SELECT x.name AS tenant_name, s.tenant, s.model, s.capacity, s.cause, sum(s.milli_ms)::bigint AS milli_ms
FROM spilled s
LEFT JOIN tenant x ON x.id = s.tenant
GROUP BY 1, 2, 3, 4, 5
ORDER BY 1, 2, 3, 4, 5
