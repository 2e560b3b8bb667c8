-- Runs in each cycle of the scheduler. The index of active quarantines has no other rows.
SELECT id, cluster, level, domain, reason, owner, since, until, released_at, released, version
FROM domain_quarantine
WHERE released_at IS NULL
ORDER BY id
