-- Row locks are not possible here, because two clusters may report the same new device at the same time.
SELECT true FROM pg_advisory_xact_lock(490, 0)
