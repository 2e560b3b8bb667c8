SELECT id, name, kind, capacity_type, price, settings, state, capabilities, last_seen_at, trouble, created_at, version
FROM cluster
ORDER BY name
