-- Its cluster stays as it is: of two that set a new one at the same moment the second finds that of the first.
INSERT INTO licence AS l (name, count, cluster) VALUES (:name, :count, :cluster)
ON CONFLICT (name) DO UPDATE SET count = excluded.count
WHERE l.cluster IS NOT DISTINCT FROM excluded.cluster
