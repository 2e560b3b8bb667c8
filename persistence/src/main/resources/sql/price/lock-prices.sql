-- Prices are written one after the other: each is compared with all present ones.
SELECT clock_timestamp() FROM pg_advisory_xact_lock(380, 0)
