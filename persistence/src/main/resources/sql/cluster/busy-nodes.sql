SELECT id
FROM node
WHERE cluster = :cluster AND allocated_pods > 0
