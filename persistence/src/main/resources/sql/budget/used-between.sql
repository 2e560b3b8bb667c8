-- What members used whose time ended in a span, as far as it lies behind the begin. The moment at its end is not in it: at the
-- first open hour ends are still booked.
SELECT coalesce(sum((SELECT sum(m) FROM unnest(u.milli) AS m) * (u.ended_ms - greatest(u.started_ms, :begin))), 0)
FROM usage_interval u
WHERE u.tenant = :tenant
  AND u.project = coalesce(CAST(:project AS uuid), u.project)
  AND u.queue = coalesce(CAST(:queue AS uuid), u.queue)
  AND u.used_by = coalesce(CAST(:user AS text), u.used_by)
  AND u.ended_ms >= :after AND u.ended_ms < :to
