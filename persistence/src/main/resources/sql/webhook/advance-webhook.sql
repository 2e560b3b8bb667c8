-- Status and secrets belong to the owner, who may have changed them during the round.
UPDATE webhook
SET status = CASE WHEN status = 'ACTIVE' THEN :status ELSE status END,
    reason = CASE WHEN status = 'ACTIVE' THEN :reason ELSE reason END,
    transaction = :transaction, sequence = :sequence, failures = :failures, failing_since = :failingSince, next_at = :nextAt,
    delivered = :delivered, delivered_at = :deliveredAt
WHERE id = :id AND epoch = :epoch
