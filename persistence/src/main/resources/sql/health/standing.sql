SELECT id, cluster, node, gpu, incident, domain_quarantine, cause, owner, since, until, released_at, released
FROM quarantine
WHERE cluster = :cluster AND released_at IS NULL
ORDER BY id
