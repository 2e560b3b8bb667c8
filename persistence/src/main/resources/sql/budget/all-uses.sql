SELECT u.budget, u.period_ms, u.spent + u.money_spent AS spent, u.unpriced, u.reserved + u.money_reserved AS reserved,
       u.alerted
FROM budget_use u
WHERE (:all OR u.budget IN (SELECT unnest(CAST(:ids AS uuid[])))) AND u.period_ms > :after
