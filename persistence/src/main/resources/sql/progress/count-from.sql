UPDATE attempt_progress
SET counts_from = CAST(:from AS timestamptz)
WHERE attempt = ANY (CAST(:attempts AS uuid[])) AND counts_from < CAST(:from AS timestamptz)
