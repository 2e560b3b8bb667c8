SELECT 'RETIRED' AS state, cordon FROM node_retired
WHERE id = :id
FOR UPDATE
