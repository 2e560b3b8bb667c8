SELECT id, cluster, CAST(node_row ->> 'version' AS bigint) AS version, 'RETIRED' AS state, cordon FROM node_retired
WHERE id IN (SELECT unnest(CAST(:ids AS uuid[])))
ORDER BY id
FOR UPDATE
