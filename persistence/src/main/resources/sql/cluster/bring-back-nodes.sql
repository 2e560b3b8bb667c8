-- Runs after the rows of returning nodes were inserted. Restores their cordons and sets versions above the previous ones.
WITH back AS (
  DELETE FROM node_retired WHERE id IN (SELECT unnest(CAST(:ids AS uuid[])))
  RETURNING id, cordon, CAST(node_row ->> 'version' AS bigint) AS version
)
UPDATE node n SET cordon = back.cordon, version = back.version + 1
FROM back
WHERE n.id = back.id
