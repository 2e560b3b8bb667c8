SELECT node, model, capacity, resource, used, firm FROM quota_usage
WHERE node IN (SELECT unnest(CAST(:nodes AS uuid[]))) AND (used <> 0 OR firm <> 0)
ORDER BY node, model, capacity, resource
