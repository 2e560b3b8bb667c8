SELECT id, document, tenant, status, reason, transaction, sequence, secret_version, previous_until, failures, failing_since, next_at,
       delivered, delivered_at, epoch
FROM webhook
WHERE tenant = :tenant AND document = :document
FOR UPDATE
