DELETE FROM attempt_progress WHERE attempt = :attempt
