INSERT INTO budget_use AS u (budget, tenant, period_ms, spent, reserved, alerted)
SELECT r.budget, r.tenant, r.period_ms, r.spent, r.reserved, r.alerted
FROM json_to_recordset(CAST(:rows AS json)) AS r (
  budget uuid, tenant uuid, period_ms bigint, spent bigint, reserved bigint, alerted int)
ORDER BY r.budget, r.period_ms
ON CONFLICT (budget, period_ms) DO UPDATE
SET spent = u.spent + excluded.spent, reserved = u.reserved + excluded.reserved,
    alerted = greatest(u.alerted, excluded.alerted)
