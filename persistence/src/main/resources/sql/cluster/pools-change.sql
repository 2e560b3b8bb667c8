-- Waits for the reports that go by the pools as they were, and lets none begin before the transaction ends.
SELECT true FROM pg_advisory_xact_lock(310, 0)
