DELETE FROM log_member AS m
USING (SELECT attempt, role, idx, incarnation FROM log_member
       WHERE ended_at < now() - make_interval(secs => :seconds) AND removed IS NOT NULL
       LIMIT :limit) AS o
WHERE m.attempt = o.attempt AND m.role = o.role AND m.idx = o.idx AND m.incarnation = o.incarnation
