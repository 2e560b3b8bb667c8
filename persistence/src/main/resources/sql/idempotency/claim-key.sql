SELECT number
FROM unnest(CAST(:principals AS text[]), CAST(:operations AS text[]), CAST(:keys AS text[]))
  WITH ORDINALITY AS wanted (principal, operation, key, number)
WHERE pg_try_advisory_xact_lock(
  hashtextextended(concat_ws(E'\n', CAST(:tenant AS uuid), principal, operation, key), 0))
