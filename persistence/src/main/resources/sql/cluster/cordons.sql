SELECT id, name, cordon FROM node
WHERE cluster = :cluster AND cordon <> 'NONE'
ORDER BY id
