SELECT id, cluster, version, state, cordon FROM node
WHERE id IN (SELECT unnest(CAST(:ids AS uuid[])))
ORDER BY id
FOR NO KEY UPDATE
