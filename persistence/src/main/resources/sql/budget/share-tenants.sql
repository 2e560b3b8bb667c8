-- No budget of these tenants is created until the transaction ends.
SELECT pg_advisory_xact_lock_shared(470, hashtext(CAST(t AS text))) FROM unnest(CAST(:tenants AS uuid[])) AS t ORDER BY t
