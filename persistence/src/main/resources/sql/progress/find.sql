SELECT called_at, report
FROM attempt_progress
WHERE attempt = :attempt AND tenant = :tenant
