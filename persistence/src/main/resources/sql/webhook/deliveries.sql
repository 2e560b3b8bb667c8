SELECT webhook, subject_kind, subject, transaction, sequence, type, event_at, attempts, first_at, next_at, dead, answer_status,
       answer_text
FROM webhook_delivery
WHERE webhook = :webhook AND tenant = :tenant AND (transaction, sequence) < (:transaction, :sequence)
ORDER BY transaction DESC, sequence DESC
LIMIT :limit
