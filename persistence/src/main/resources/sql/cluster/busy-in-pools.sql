SELECT id, pool
FROM node
WHERE cluster = :cluster AND pool IN (SELECT unnest(CAST(:names AS text[]))) AND allocated_pods > 0
