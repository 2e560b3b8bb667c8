-- Concurrent deletions do not wait for each other.
SELECT true FROM pg_advisory_xact_lock_shared(1360, hashtext(CAST(CAST(:tenant AS uuid) AS text)))
