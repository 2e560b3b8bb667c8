SELECT name, reason, project, job, from_at, to_at, changed_at, changed_by FROM legal_hold WHERE tenant = :tenant ORDER BY name
