DELETE FROM webhook_delivery
WHERE (webhook, transaction, sequence) IN (
  SELECT d.webhook, d.transaction, d.sequence FROM webhook_delivery d WHERE d.dead AND d.next_at < :before LIMIT :limit)
