SELECT attempt, report
FROM attempt_progress
WHERE report ->> 'predicted' IS NOT NULL
ORDER BY attempt
LIMIT :most
