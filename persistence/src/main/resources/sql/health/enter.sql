SELECT pg_advisory_xact_lock(hashtextextended(concat_ws(E'\n', 'health', CAST(:cluster AS uuid)), 0))
