-- No pool changes until the transaction ends.
SELECT true FROM pg_advisory_xact_lock_shared(310, 0)
