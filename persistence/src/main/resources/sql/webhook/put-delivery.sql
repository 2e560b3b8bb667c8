INSERT INTO webhook_delivery
  (webhook, tenant, subject_kind, subject, transaction, sequence, type, event_at, attempts, first_at, next_at, dead,
   answer_status, answer_text)
VALUES
  (:webhook, :tenant, :kind, :subject, :transaction, :sequence, :type, :eventAt, :attempts, :firstAt, :nextAt, :dead, :status,
   :text)
ON CONFLICT (webhook, transaction, sequence) DO UPDATE
SET attempts = excluded.attempts, first_at = excluded.first_at, next_at = excluded.next_at, dead = excluded.dead,
    answer_status = excluded.answer_status, answer_text = excluded.answer_text
