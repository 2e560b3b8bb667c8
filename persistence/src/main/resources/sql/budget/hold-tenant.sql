-- No job of the tenant starts or ends until the transaction ends.
SELECT pg_advisory_xact_lock(470, hashtext(:tenant))
