WITH stored AS (
  UPDATE attempt_progress
  SET called_at = CAST(:now AS timestamptz)
  WHERE attempt = :attempt AND tenant = :tenant
    AND (called_at IS NULL OR called_at < CAST(:before AS timestamptz) OR called_at > CAST(:now AS timestamptz)))
SELECT EXISTS (SELECT FROM attempt_progress WHERE attempt = :attempt AND tenant = :tenant)
