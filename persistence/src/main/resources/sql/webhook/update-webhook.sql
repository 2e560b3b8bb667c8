UPDATE webhook
SET status = :status, reason = :reason, transaction = :transaction, sequence = :sequence, secret_version = :secretVersion,
    previous_until = :previousUntil, failures = :failures, failing_since = :failingSince, next_at = :nextAt,
    delivered = :delivered, delivered_at = :deliveredAt, epoch = :epoch
WHERE id = :id
