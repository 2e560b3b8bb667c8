-- One advance reservation is created or cancelled at a time.
SELECT true FROM pg_advisory_xact_lock(1001, 0)
