-- Use of members that ended within a time range, after the beginning of the first span. The end of the range is excluded: ends are still
-- booked in the first open hour. One row for each place and span with constant prices.
SELECT s.span, u.cluster, coalesce(u.pool, '') AS pool, u.model, u.capacity,
       sum((SELECT sum(m) FROM unnest(u.milli) AS m) * (least(u.ended_ms, s.to_ms) - greatest(u.started_ms, s.from_ms))) AS milli_ms
FROM usage_interval u
JOIN unnest(CAST(:froms AS bigint[]), CAST(:tos AS bigint[])) WITH ORDINALITY AS s (from_ms, to_ms, span)
  ON u.ended_ms > s.from_ms AND u.started_ms < s.to_ms
WHERE u.tenant = :tenant
  AND u.project = coalesce(CAST(:project AS uuid), u.project)
  AND u.queue = coalesce(CAST(:queue AS uuid), u.queue)
  AND u.used_by = coalesce(CAST(:user AS text), u.used_by)
  AND (CAST(:labelKey AS text) IS NULL
       OR (SELECT l.labels ->> CAST(:labelKey AS text) FROM attempt_label l
           WHERE l.attempt = u.attempt AND l.from_ms <= u.started_ms ORDER BY l.from_ms DESC LIMIT 1) = :labelValue)
  AND u.ended_ms >= :after AND u.ended_ms < :to
GROUP BY 1, 2, 3, 4, 5
