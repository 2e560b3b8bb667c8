-- Serializes writes of prices, because each is compared with all existing prices.
SELECT clock_timestamp() FROM pg_advisory_xact_lock(380, 0)
