SELECT attempt, report
FROM attempt_progress
WHERE attempt IN (SELECT unnest(CAST(:attempts AS uuid[]))) AND report ->> 'predicted' IS NOT NULL
