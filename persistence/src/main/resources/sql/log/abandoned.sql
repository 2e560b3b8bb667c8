SELECT m.* FROM log_member m
LEFT JOIN attempt a ON a.id = m.attempt
WHERE m.ended_at IS NULL AND (a.id IS NULL OR a.retired_at < now() - interval '5 minutes')
ORDER BY m.attempt, m.role, m.idx, m.incarnation
LIMIT :limit
