SELECT id, cluster, level, domain, reason, owner, since, until, released_at, released, version
FROM domain_quarantine
WHERE id = :id
