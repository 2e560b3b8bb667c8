-- Status and secrets belong to the owner, who may have changed them during the round.
UPDATE webhook w
SET status = CASE WHEN w.status = 'ACTIVE' THEN r.status ELSE w.status END,
    reason = CASE WHEN w.status = 'ACTIVE' THEN r.reason ELSE w.reason END,
    transaction = r.transaction, sequence = r.sequence, failures = r.failures, failing_since = r.failing_since,
    next_at = r.next_at, delivered = r.delivered, delivered_at = r.delivered_at
FROM json_to_recordset(CAST(:rows AS json)) AS r (
  id uuid, epoch bigint, status text, reason text, transaction bigint, sequence bigint, failures int, failing_since timestamptz,
  next_at timestamptz, delivered bigint, delivered_at timestamptz)
WHERE w.id = r.id AND w.epoch = r.epoch
RETURNING w.id
