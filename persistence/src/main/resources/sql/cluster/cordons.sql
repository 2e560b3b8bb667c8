SELECT id, name, cordon FROM node
WHERE cluster = :cluster AND cordon <> 'NONE'
UNION ALL
SELECT id, name, cordon FROM node_retired
WHERE cluster = :cluster AND cordon <> 'NONE'
ORDER BY id
