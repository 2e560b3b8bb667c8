SELECT m.* FROM log_member m
WHERE m.attempt IN (SELECT unnest(CAST(:attempts AS uuid[])))
ORDER BY m.attempt, m.role, m.idx, m.incarnation
