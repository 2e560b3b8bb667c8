-- Serialises changes in a tenant, so that each records the previous value in the history.
SELECT true FROM pg_advisory_xact_lock(1200, hashtext(CAST(CAST(:tenant AS uuid) AS text)))
