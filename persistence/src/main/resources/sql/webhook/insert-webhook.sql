INSERT INTO webhook
  (id, document, tenant, status, reason, transaction, sequence, secret_version, previous_until, failures, failing_since, next_at,
   delivered, delivered_at, epoch)
VALUES
  (:id, :document, :tenant, :status, :reason, :transaction, :sequence, :secretVersion, :previousUntil, :failures, :failingSince,
   :nextAt, :delivered, :deliveredAt, :epoch)
