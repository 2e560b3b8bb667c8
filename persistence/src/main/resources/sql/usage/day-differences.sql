-- All rows are from one snapshot. Days without sums have none.
SELECT tenant, project, queue, used_by, pool, model, capacity, labels,
       coalesce(d.milli_ms, 0)::bigint AS stored, coalesce(h.milli_ms, 0)::bigint AS due
FROM (
  SELECT tenant, project, queue, used_by, pool, model, capacity, '{}'::jsonb AS labels, milli_ms FROM usage_day WHERE day_ms = :day
  UNION ALL
  SELECT tenant, project, queue, used_by, pool, model, capacity, labels, milli_ms FROM usage_label_day WHERE day_ms = :day) AS d
FULL JOIN (
  SELECT tenant, project, queue, used_by, pool, model, capacity, '{}'::jsonb AS labels, sum(milli_ms) AS milli_ms
  FROM usage_hour
  WHERE hour_ms >= :day AND hour_ms < :day + 86400000
  GROUP BY 1, 2, 3, 4, 5, 6, 7
  UNION ALL
  SELECT tenant, project, queue, used_by, pool, model, capacity, labels, sum(milli_ms)
  FROM usage_label_hour
  WHERE hour_ms >= :day AND hour_ms < :day + 86400000
  GROUP BY 1, 2, 3, 4, 5, 6, 7, 8) AS h USING (tenant, project, queue, used_by, pool, model, capacity, labels)
WHERE d.milli_ms IS DISTINCT FROM h.milli_ms AND EXISTS (SELECT FROM usage_day_summed s WHERE s.day_ms = :day)
ORDER BY tenant, project, queue, used_by, pool, model, capacity, labels
