-- Against those that delete and others that change, of one tenant.
SELECT true FROM pg_advisory_xact_lock(1360, hashtext(CAST(CAST(:tenant AS uuid) AS text)))
