SELECT id, cluster, node, incident, cause, owner, since, until, released_at, released
FROM quarantine
WHERE incident IN (SELECT unnest(CAST(:incidents AS uuid[])))
ORDER BY id
