-- Reads days with sums, otherwise hours, and only hours in a report by the hour. The hours of each such day are found by the index,
-- regardless of the number of days.
WITH span AS MATERIALIZED (
  SELECT d AS day_ms
  FROM generate_series(
    (SELECT min(h.hour_ms) - min(h.hour_ms) % 86400000 FROM usage_hour h WHERE h.tenant = :tenant AND h.hour_ms >= :from),
    (SELECT max(h.hour_ms) FROM usage_hour h WHERE h.tenant = :tenant AND h.hour_ms < :to), 86400000) AS d
  WHERE :period = 'hour' OR NOT EXISTS (SELECT FROM usage_day_summed s WHERE s.day_ms = d)
), used AS (
  SELECT d.day_ms AS at_ms, d.project, d.queue, d.used_by, d.pool, d.model, d.capacity, d.milli_ms
  FROM usage_day d
  WHERE d.tenant = :tenant AND d.day_ms >= :from AND d.day_ms < :to AND :period <> 'hour'
    AND d.day_ms IN (SELECT s.day_ms FROM usage_day_summed s)
    AND (:everyProject OR d.project IN (SELECT unnest(CAST(:projects AS uuid[]))))
    AND (CAST(:user AS text) IS NULL OR d.used_by = :user)
  UNION ALL
  SELECT h.hour_ms, h.project, h.queue, h.used_by, h.pool, h.model, h.capacity, h.milli_ms
  FROM span
  CROSS JOIN LATERAL (
    SELECT i.* FROM usage_hour i
    WHERE i.tenant = :tenant AND i.hour_ms >= greatest(:from, span.day_ms) AND i.hour_ms < least(:to, span.day_ms + 86400000)
      AND (:everyProject OR i.project IN (SELECT unnest(CAST(:projects AS uuid[]))))
      AND (CAST(:user AS text) IS NULL OR i.used_by = :user)
    OFFSET 0) AS h
)
SELECT u.begin_ms, u.project, p.name AS project_name, u.queue, q.name AS queue_name, u.used_by, u.pool, u.model, u.capacity,
       u.milli_ms,
       to_timestamp(u.begin_ms / 1000) AT TIME ZONE 'UTC' + CAST('1 ' || :period AS interval)
         > to_timestamp((SELECT open_ms FROM usage_watermark) / 1000) AT TIME ZONE 'UTC' AS preliminary
FROM (
  SELECT (extract(epoch FROM date_trunc(:period, to_timestamp(h.at_ms / 1000), 'UTC')) * 1000)::bigint AS begin_ms,
         CASE WHEN :byPROJECT THEN h.project END AS project,
         CASE WHEN :byQUEUE THEN h.queue END AS queue,
         CASE WHEN :byUSER THEN h.used_by END AS used_by,
         CASE WHEN :byPOOL THEN h.pool END AS pool,
         CASE WHEN :byMODEL THEN h.model END AS model,
         CASE WHEN :byCAPACITY THEN h.capacity END AS capacity,
         sum(h.milli_ms)::bigint AS milli_ms
  FROM used h
  GROUP BY 1, 2, 3, 4, 5, 6, 7
  LIMIT :limit
) AS u
LEFT JOIN project p ON p.id = u.project
LEFT JOIN quota_node q ON q.id = u.queue
ORDER BY u.begin_ms, project_name, u.project, queue_name, u.queue, u.used_by, u.pool, u.model, u.capacity
