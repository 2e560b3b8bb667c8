-- The version of the node also guards its slots.
WITH slot AS (
  UPDATE gpu_slot SET state = 'FAILED', quarantined = true
  WHERE node = :node AND serial = :gpu AND NOT quarantined
  RETURNING node
)
UPDATE node SET version = version + 1 WHERE id IN (SELECT node FROM slot)
