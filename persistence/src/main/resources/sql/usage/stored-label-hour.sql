SELECT tenant, project, queue, used_by, NULL::uuid AS cluster, pool, model, capacity, labels, milli_ms FROM usage_label_hour WHERE hour_ms = :hour
