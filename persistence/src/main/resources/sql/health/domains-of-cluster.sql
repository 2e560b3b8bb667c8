SELECT id, cluster, level, domain, reason, owner, since, until, released_at, released, version
FROM domain_quarantine
WHERE cluster = :cluster AND (released_at IS NULL OR NOT :standing)
  AND (CAST(:before AS uuid) IS NULL OR id < CAST(:before AS uuid))
ORDER BY id DESC
LIMIT :limit
