INSERT INTO licence (name, count) VALUES (:name, :count)
ON CONFLICT (name) DO UPDATE SET count = excluded.count
