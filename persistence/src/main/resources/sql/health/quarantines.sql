SELECT id, cluster, node, gpu, incident, domain_quarantine, cause, owner, since, until, released_at, released
FROM quarantine
WHERE id IN (SELECT unnest(CAST(:ids AS uuid[])))
