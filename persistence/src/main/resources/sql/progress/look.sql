UPDATE attempt_progress
SET counts_from = CAST(:from AS timestamptz), look_at = CAST(:at AS timestamptz)
WHERE attempt = :attempt
