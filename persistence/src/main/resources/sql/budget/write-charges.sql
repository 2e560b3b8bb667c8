INSERT INTO budget_charge (attempt, budget, tenant, milli, weight, since_ms, until_ms, priced_ms, passed, exhausted_ms)
SELECT r.attempt, r.budget, r.tenant, r.milli, r.weight, r.since_ms, r.until_ms, r.priced_ms, r.passed, nullif(r.exhausted_ms, 0)
FROM json_to_recordset(CAST(:rows AS json)) AS r (
  attempt uuid, budget uuid, tenant uuid, milli bigint, weight bigint, since_ms bigint, until_ms bigint,
  priced_ms bigint, passed jsonb, exhausted_ms bigint)
ON CONFLICT (attempt, budget) DO UPDATE
SET milli = excluded.milli, weight = excluded.weight, until_ms = excluded.until_ms,
    priced_ms = excluded.priced_ms, passed = excluded.passed, exhausted_ms = excluded.exhausted_ms
