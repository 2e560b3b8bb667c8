-- Waits for transactions that use the previous limits of the platform, and blocks new ones until this one ends.
SELECT true FROM pg_advisory_xact_lock(360, 0)
