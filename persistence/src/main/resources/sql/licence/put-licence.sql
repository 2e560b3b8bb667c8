INSERT INTO licence (name, count, cluster) VALUES (:name, :count, :cluster)
ON CONFLICT (name) DO UPDATE SET count = excluded.count, cluster = excluded.cluster
