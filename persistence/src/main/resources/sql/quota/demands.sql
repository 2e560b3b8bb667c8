SELECT node, model, capacity, resource, amount FROM quota_demand
WHERE tenant = :tenant
ORDER BY node, model, capacity, resource
