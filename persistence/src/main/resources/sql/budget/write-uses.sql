INSERT INTO budget_use AS u (budget, tenant, period_ms, spent, reserved, alerted, money_spent, money_reserved, unpriced)
SELECT r.budget, r.tenant, r.period_ms, coalesce(r.spent, 0), coalesce(r.reserved, 0), r.alerted,
       coalesce(r.money_spent, 0), coalesce(r.money_reserved, 0), r.unpriced
FROM json_to_recordset(CAST(:rows AS json)) AS r (
  budget uuid, tenant uuid, period_ms bigint, spent bigint, reserved bigint, alerted int, money_spent numeric,
  money_reserved numeric, unpriced numeric)
ORDER BY r.budget, r.period_ms
ON CONFLICT (budget, period_ms) DO UPDATE
SET spent = u.spent + excluded.spent, reserved = u.reserved + excluded.reserved,
    money_spent = u.money_spent + excluded.money_spent, money_reserved = u.money_reserved + excluded.money_reserved,
    unpriced = u.unpriced + excluded.unpriced, alerted = greatest(u.alerted, excluded.alerted)
