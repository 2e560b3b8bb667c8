SELECT id, 'RETIRED' AS state, cordon FROM node_retired
WHERE id IN (SELECT unnest(CAST(:ids AS uuid[])))
ORDER BY id
FOR UPDATE
