SELECT node, model, capacity, resource, used, firm FROM quota_usage
WHERE tenant IS NULL AND (used <> 0 OR firm <> 0)
ORDER BY node, model, capacity, resource
