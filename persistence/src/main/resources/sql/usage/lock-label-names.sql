-- One after the other in a tenant, so that each says in the history what was before it.
SELECT true FROM pg_advisory_xact_lock(1200, hashtext(CAST(CAST(:tenant AS uuid) AS text)))
