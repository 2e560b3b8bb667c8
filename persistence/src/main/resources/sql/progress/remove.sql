DELETE FROM attempt_progress
WHERE attempt = :attempt AND called_at IS NOT DISTINCT FROM CAST(:called AS timestamptz)
