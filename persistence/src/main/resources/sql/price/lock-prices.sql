-- Prices are written one after the other: each is compared with all that are there.
SELECT clock_timestamp() FROM pg_advisory_xact_lock(380, 0)
