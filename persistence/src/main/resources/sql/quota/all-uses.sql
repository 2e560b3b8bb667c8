SELECT node, model, capacity, resource, used, firm FROM quota_usage
WHERE (used <> 0 OR firm <> 0)
ORDER BY node, model, capacity, resource
