SELECT r.cluster, r.namespace, r.tenant, r.project, r.since, r.tries, r.why
FROM namespace_removal r
-- A retry time beyond the longest pause of an hour was written by a clock that was ahead.
WHERE r.cluster = :cluster AND (r.next_at <= now() OR r.next_at > now() + interval '1 hour')
  AND NOT EXISTS (
    SELECT FROM attempt a JOIN job j ON j.id = a.job
    WHERE a.cluster = r.cluster AND a.tenant = r.tenant AND a.retired_at IS NULL AND j.project = r.project
  )
  AND NOT EXISTS (
    SELECT FROM project p JOIN tenant t ON t.id = p.tenant
    WHERE p.namespace = r.namespace AND t.state <> 'ARCHIVED'
  )
ORDER BY r.next_at, r.namespace
LIMIT :most
