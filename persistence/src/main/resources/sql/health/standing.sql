SELECT id, cluster, node, incident, cause, owner, since, until, released_at, released
FROM quarantine
WHERE cluster = :cluster AND released_at IS NULL
ORDER BY id
