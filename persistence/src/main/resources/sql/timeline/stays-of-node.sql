-- A retired node retains its id, its name and its history.
SELECT id, cluster FROM node WHERE id = CAST(:id AS uuid) OR CAST(:id AS uuid) IS NULL AND name = :name
UNION
SELECT id, cluster FROM node_retired WHERE id = CAST(:id AS uuid) OR CAST(:id AS uuid) IS NULL AND name = :name
ORDER BY id
LIMIT :limit
