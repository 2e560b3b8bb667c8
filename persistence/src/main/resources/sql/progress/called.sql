-- The condition is checked again under the lock of the row, because another call may just have stored a report.
UPDATE attempt_progress
SET called_at = CAST(:now AS timestamptz), report = CAST(:report AS jsonb)
WHERE attempt = :attempt AND tenant = :tenant
  AND (called_at IS NULL OR called_at < CAST(:before AS timestamptz) OR called_at > CAST(:now AS timestamptz))
