-- Rows cannot be locked instead: two clusters may find the same device at once.
SELECT true FROM pg_advisory_xact_lock(490, 0)
