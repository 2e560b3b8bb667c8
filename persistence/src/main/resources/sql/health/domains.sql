-- Runs in each pass of a supervisor. Active quarantines are few and have a separate index.
SELECT id, cluster, level, domain, reason, owner, since, until, released_at, released, version
FROM domain_quarantine
WHERE cluster = :cluster AND released_at IS NULL
ORDER BY id
