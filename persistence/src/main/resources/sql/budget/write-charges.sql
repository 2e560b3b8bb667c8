INSERT INTO budget_charge (attempt, budget, tenant, milli, weight, since_ms, until_ms)
SELECT r.attempt, r.budget, r.tenant, r.milli, r.weight, r.since_ms, r.until_ms
FROM json_to_recordset(CAST(:rows AS json)) AS r (
  attempt uuid, budget uuid, tenant uuid, milli bigint, weight bigint, since_ms bigint, until_ms bigint)
ON CONFLICT (attempt, budget) DO UPDATE
SET milli = excluded.milli, weight = excluded.weight, until_ms = excluded.until_ms
