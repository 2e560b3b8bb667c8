-- Waits for reports that use the previous pools, and blocks new ones until the transaction ends.
SELECT true FROM pg_advisory_xact_lock(310, 0)
