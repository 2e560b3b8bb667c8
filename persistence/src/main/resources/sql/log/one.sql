SELECT m.* FROM log_member m
WHERE m.tenant = :tenant AND m.attempt = :attempt AND m.role = :role AND m.idx = :idx AND m.incarnation = :incarnation
