SELECT true FROM pg_advisory_xact_lock(2750, hashtext(CAST(:project AS text)))
