-- Use by attempts that have ended since the closed hours were summed, minus the use until then of attempts that are charged now, because
-- their end books the whole use. One row for each place and span with constant prices.
WITH charged AS MATERIALIZED (
  SELECT c.attempt FROM budget_charge c WHERE c.budget = :budget
), booked AS (
  SELECT 1 AS times, u.cluster, u.pool, u.model, u.capacity, u.milli, u.started_ms, u.ended_ms
  FROM usage_interval u
  WHERE u.tenant = :tenant
    AND u.project = coalesce(CAST(:project AS uuid), u.project)
    AND u.queue = coalesce(CAST(:queue AS uuid), u.queue)
    AND u.used_by = coalesce(CAST(:user AS text), u.used_by)
    AND (CAST(:labelKey AS text) IS NULL
         OR (SELECT l.labels ->> CAST(:labelKey AS text) FROM attempt_label l
           WHERE l.attempt = u.attempt AND l.from_ms <= u.started_ms ORDER BY l.from_ms DESC LIMIT 1) = :labelValue)
    AND u.ended_ms >= :closed
    AND NOT EXISTS (SELECT FROM charged c WHERE c.attempt = u.attempt)
  UNION ALL
  SELECT -1, u.cluster, u.pool, u.model, u.capacity, u.milli, u.started_ms, u.ended_ms
  FROM charged c
  JOIN usage_interval u ON u.attempt = c.attempt
  WHERE u.project = coalesce(CAST(:project AS uuid), u.project)
    AND u.queue = coalesce(CAST(:queue AS uuid), u.queue)
    AND u.used_by = coalesce(CAST(:user AS text), u.used_by)
    AND (CAST(:labelKey AS text) IS NULL
         OR (SELECT l.labels ->> CAST(:labelKey AS text) FROM attempt_label l
           WHERE l.attempt = u.attempt AND l.from_ms <= u.started_ms ORDER BY l.from_ms DESC LIMIT 1) = :labelValue)
    AND u.ended_ms > :begin AND u.ended_ms < :closed
)
SELECT s.span, b.cluster, coalesce(b.pool, '') AS pool, b.model, b.capacity,
       sum(b.times * (SELECT sum(m) FROM unnest(b.milli) AS m)
           * (least(b.ended_ms, s.to_ms) - greatest(b.started_ms, s.from_ms))) AS milli_ms
FROM booked b
JOIN unnest(CAST(:froms AS bigint[]), CAST(:tos AS bigint[])) WITH ORDINALITY AS s (from_ms, to_ms, span)
  ON b.ended_ms > s.from_ms AND b.started_ms < s.to_ms
GROUP BY 1, 2, 3, 4, 5
