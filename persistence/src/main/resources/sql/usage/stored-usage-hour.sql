SELECT tenant, project, queue, used_by, cluster, pool, model, capacity, service, milli_ms FROM usage_hour WHERE hour_ms = :hour
