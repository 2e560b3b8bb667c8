SELECT cluster, pool, owner, model, capacity, bucket, milli_ms FROM fleet_hour WHERE hour_ms = :hour
