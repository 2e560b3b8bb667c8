WITH RECURSIVE path AS (
  SELECT id, parent FROM quota_node WHERE id IN (SELECT unnest(CAST(:queues AS uuid[])))
  UNION
  SELECT n.id, n.parent FROM quota_node n JOIN path p ON n.id = p.parent
)
SELECT id FROM quota_node WHERE id IN (SELECT id FROM path) ORDER BY depth, id FOR NO KEY UPDATE
