-- By attempts that have ended since the closed hours were added up, less what those used up to then that are charged now:
-- their end will book all of it.
WITH charged AS MATERIALIZED (
  SELECT c.attempt FROM budget_charge c WHERE c.budget = :budget
)
SELECT coalesce((
    SELECT sum((SELECT sum(m) FROM unnest(u.milli) AS m) * (u.ended_ms - greatest(u.started_ms, :begin)))
    FROM usage_interval u
    WHERE u.tenant = :tenant
      AND u.project = coalesce(CAST(:project AS uuid), u.project)
      AND u.queue = coalesce(CAST(:queue AS uuid), u.queue)
      AND u.used_by = coalesce(CAST(:user AS text), u.used_by)
      AND u.ended_ms >= :closed
      AND NOT EXISTS (SELECT FROM charged c WHERE c.attempt = u.attempt)), 0)
  - coalesce((
    SELECT sum((SELECT sum(m) FROM unnest(u.milli) AS m) * (u.ended_ms - greatest(u.started_ms, :begin)))
    FROM charged c
    JOIN usage_interval u ON u.attempt = c.attempt
    WHERE u.project = coalesce(CAST(:project AS uuid), u.project)
      AND u.queue = coalesce(CAST(:queue AS uuid), u.queue)
      AND u.used_by = coalesce(CAST(:user AS text), u.used_by)
      AND u.ended_ms > :begin AND u.ended_ms < :closed), 0)
