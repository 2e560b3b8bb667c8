SELECT node, model, capacity, resource, used FROM quota_usage
WHERE used <> 0
ORDER BY node, model, capacity, resource
