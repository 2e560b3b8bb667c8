SELECT id, pool, pool_tenant, pool_spares, pool_windows
FROM node
WHERE cluster = :cluster AND pool_windows IS NOT NULL AND allocated_pods > 0 AND state <> 'RETIRED'
