-- Like report.sql. Use with any of the labels counts in the groups of these labels and is subtracted from the total, and the remainder
-- has no label. The rows therefore add up to the total use, regardless of the stored labels. Values of a label beyond the :values largest
-- of the report are merged. Without more values, at most :limit rows are read.
WITH day AS MATERIALIZED (
  SELECT s.day_ms, (extract(epoch FROM date_trunc(:period, to_timestamp(s.day_ms / 1000), 'UTC')) * 1000)::bigint AS begin_ms
  FROM usage_day_summed s
  WHERE :period <> 'hour' AND s.day_ms >= :from AND s.day_ms < :to
), span AS MATERIALIZED (
  SELECT d AS day_ms
  FROM generate_series(
    (SELECT min(h.hour_ms) - min(h.hour_ms) % 86400000 FROM usage_hour h WHERE h.tenant = :tenant AND h.hour_ms >= :from),
    (SELECT max(h.hour_ms) FROM usage_hour h WHERE h.tenant = :tenant AND h.hour_ms < :to), 86400000) AS d
  WHERE d NOT IN (SELECT day_ms FROM day)
), used AS MATERIALIZED (
  SELECT x.begin_ms,
         CASE WHEN :byPROJECT THEN x.project END AS project,
         CASE WHEN :byQUEUE THEN x.queue END AS queue,
         CASE WHEN :byUSER THEN x.used_by END AS used_by,
         CASE WHEN :byPOOL THEN x.pool END AS pool,
         CASE WHEN :byMODEL THEN x.model END AS model,
         CASE WHEN :byCAPACITY THEN x.capacity END AS capacity,
         sum(x.milli_ms) AS milli_ms
  FROM (
    SELECT day.begin_ms, d.project, d.queue, d.used_by, d.pool, d.model, d.capacity, d.milli_ms
    FROM usage_day d
    JOIN day ON day.day_ms = d.day_ms
    WHERE d.tenant = :tenant AND d.day_ms >= :from AND d.day_ms < :to
    UNION ALL
    SELECT (extract(epoch FROM date_trunc(:period, to_timestamp(h.hour_ms / 1000), 'UTC')) * 1000)::bigint, h.project, h.queue,
           h.used_by, h.pool, h.model, h.capacity, h.milli_ms
    FROM span
    CROSS JOIN LATERAL (
      SELECT i.* FROM usage_hour i
      WHERE i.tenant = :tenant AND i.hour_ms >= greatest(:from, span.day_ms) AND i.hour_ms < least(:to, span.day_ms + 86400000)
      OFFSET 0) AS h) AS x
  WHERE (:everyProject OR x.project IN (SELECT unnest(CAST(:projects AS uuid[]))))
    AND (CAST(:user AS text) IS NULL OR x.used_by = :user)
  GROUP BY 1, 2, 3, 4, 5, 6, 7
), labelled AS MATERIALIZED (
  SELECT x.begin_ms,
         CASE WHEN :byPROJECT THEN x.project END AS project,
         CASE WHEN :byQUEUE THEN x.queue END AS queue,
         CASE WHEN :byUSER THEN x.used_by END AS used_by,
         CASE WHEN :byPOOL THEN x.pool END AS pool,
         CASE WHEN :byMODEL THEN x.model END AS model,
         CASE WHEN :byCAPACITY THEN x.capacity END AS capacity,
         coalesce(x.labels ->> CAST(:label1 AS text), '') AS label1,
         coalesce(x.labels ->> CAST(:label2 AS text), '') AS label2,
         coalesce(x.labels ->> CAST(:label3 AS text), '') AS label3,
         sum(x.milli_ms) AS milli_ms
  FROM (
    SELECT day.begin_ms, d.project, d.queue, d.used_by, d.pool, d.model, d.capacity, d.labels, d.milli_ms
    FROM usage_label_day d
    JOIN day ON day.day_ms = d.day_ms
    WHERE d.tenant = :tenant AND d.day_ms >= :from AND d.day_ms < :to
    UNION ALL
    SELECT (extract(epoch FROM date_trunc(:period, to_timestamp(h.hour_ms / 1000), 'UTC')) * 1000)::bigint, h.project, h.queue,
           h.used_by, h.pool, h.model, h.capacity, h.labels, h.milli_ms
    FROM span
    CROSS JOIN LATERAL (
      SELECT i.* FROM usage_label_hour i
      WHERE i.tenant = :tenant AND i.hour_ms >= greatest(:from, span.day_ms) AND i.hour_ms < least(:to, span.day_ms + 86400000)
      OFFSET 0) AS h) AS x
  WHERE (:everyProject OR x.project IN (SELECT unnest(CAST(:projects AS uuid[]))))
    AND (CAST(:user AS text) IS NULL OR x.used_by = :user)
    AND (x.labels ->> CAST(:label1 AS text) <> '' OR x.labels ->> CAST(:label2 AS text) <> ''
         OR x.labels ->> CAST(:label3 AS text) <> '')
  GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
  HAVING sum(x.milli_ms) <> 0
), ranked AS MATERIALIZED (
  SELECT v.n, v.value, row_number() OVER (PARTITION BY v.n ORDER BY v.milli_ms DESC, v.value) AS rank
  FROM (
    SELECT grouping(s.label1, s.label2, s.label3) AS n, coalesce(s.label1, s.label2, s.label3) AS value, sum(s.milli_ms) AS milli_ms
    FROM labelled s
    GROUP BY GROUPING SETS (s.label1, s.label2, s.label3)) AS v
  WHERE v.value <> ''
), kept AS MATERIALIZED (
  SELECT n, value FROM ranked WHERE rank <= :values
), rows AS (
  SELECT s.* FROM labelled s WHERE NOT EXISTS (SELECT FROM ranked WHERE rank > :values)
  UNION ALL
  SELECT s.begin_ms, s.project, s.queue, s.used_by, s.pool, s.model, s.capacity,
         CASE WHEN s.label1 = '' OR (3, s.label1) IN (SELECT n, value FROM kept) THEN s.label1 ELSE :other END,
         CASE WHEN s.label2 = '' OR (5, s.label2) IN (SELECT n, value FROM kept) THEN s.label2 ELSE :other END,
         CASE WHEN s.label3 = '' OR (6, s.label3) IN (SELECT n, value FROM kept) THEN s.label3 ELSE :other END,
         sum(s.milli_ms)
  FROM labelled s
  WHERE EXISTS (SELECT FROM ranked WHERE rank > :values)
  GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
  UNION ALL
  SELECT x.begin_ms, x.project, x.queue, x.used_by, x.pool, x.model, x.capacity, '', '', '', sum(x.milli_ms)
  FROM (
    SELECT begin_ms, project, queue, used_by, pool, model, capacity, milli_ms FROM used
    UNION ALL
    SELECT begin_ms, project, queue, used_by, pool, model, capacity, -milli_ms FROM labelled) AS x
  GROUP BY 1, 2, 3, 4, 5, 6, 7
  HAVING sum(x.milli_ms) <> 0
)
SELECT u.begin_ms, u.project, u.queue, u.used_by, u.pool, u.model, u.capacity, u.label1, u.label2, u.label3,
       u.milli_ms::bigint AS milli_ms, p.name AS project_name, q.name AS queue_name,
       to_timestamp(u.begin_ms / 1000) AT TIME ZONE 'UTC' + CAST('1 ' || :period AS interval)
         > to_timestamp((SELECT open_ms FROM usage_watermark) / 1000) AT TIME ZONE 'UTC' AS preliminary
FROM (SELECT * FROM rows LIMIT :limit) AS u
LEFT JOIN project p ON p.id = u.project
LEFT JOIN quota_node q ON q.id = u.queue
ORDER BY u.begin_ms, project_name, u.project, queue_name, u.queue, u.used_by, u.pool, u.model, u.capacity, u.label1, u.label2,
         u.label3
