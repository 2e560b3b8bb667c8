-- Waits for the transactions that go by the platform's limits as they were, and lets none begin before this one ends.
SELECT true FROM pg_advisory_xact_lock(360, 0)
