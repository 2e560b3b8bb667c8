-- Asked by each supervisor at each look: those that stand are few and have an index of their own.
SELECT id, cluster, level, domain, reason, owner, since, until, released_at, released, version
FROM domain_quarantine
WHERE cluster = :cluster AND released_at IS NULL
ORDER BY id
