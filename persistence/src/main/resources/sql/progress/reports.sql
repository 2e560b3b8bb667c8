SELECT attempt, report
FROM attempt_progress
WHERE attempt IN (SELECT unnest(CAST(:attempts AS uuid[]))) AND tenant = :tenant AND report IS NOT NULL
