-- Runs after their rows were inserted: restores the operator's orders, and a version higher than the previous one.
WITH back AS (
  DELETE FROM node_retired WHERE id IN (SELECT unnest(CAST(:ids AS uuid[])))
  RETURNING id, cordon, CAST(node_row ->> 'version' AS bigint) AS version
)
UPDATE node n SET cordon = back.cordon, version = back.version + 1
FROM back
WHERE n.id = back.id
