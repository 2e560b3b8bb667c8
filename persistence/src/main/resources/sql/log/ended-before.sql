SELECT m.* FROM log_member m
WHERE m.ended_at < now() - make_interval(secs => :seconds) AND m.removed IS NULL
ORDER BY m.ended_at, m.attempt, m.role, m.idx, m.incarnation
LIMIT :limit
