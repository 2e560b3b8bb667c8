SELECT id, cluster, node, gpu, incident, domain_quarantine, cause, owner, since, until, released_at, released
FROM quarantine
WHERE incident IN (SELECT unnest(CAST(:incidents AS uuid[])))
ORDER BY id
