-- Until the transaction ends no pool changes.
SELECT true FROM pg_advisory_xact_lock_shared(310, 0)
