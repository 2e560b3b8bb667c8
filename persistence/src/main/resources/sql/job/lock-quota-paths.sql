-- In addition, the limits of the platform do not change until the transaction ends.
WITH RECURSIVE fleet AS MATERIALIZED (
  SELECT pg_advisory_xact_lock_shared(360, 0)
), path AS (
  SELECT id, parent FROM quota_node WHERE id IN (SELECT unnest(CAST(:queues AS uuid[])))
  UNION
  SELECT n.id, n.parent FROM quota_node n JOIN path p ON n.id = p.parent
)
SELECT id FROM quota_node WHERE id IN (SELECT id FROM path) AND EXISTS (SELECT FROM fleet) ORDER BY depth, id FOR NO KEY UPDATE
