-- Excludes deletions and other changes in the same tenant.
SELECT true FROM pg_advisory_xact_lock(1360, hashtext(CAST(CAST(:tenant AS uuid) AS text)))
