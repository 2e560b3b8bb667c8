SELECT pg_try_advisory_xact_lock(hashtextextended(concat_ws(E'\n', CAST(:tenant AS uuid), :principal, :operation, :key), 0))
