SELECT c.attempt, c.budget, c.milli, coalesce(c.weight, c.milli) AS weight, c.since_ms, c.until_ms
FROM budget_charge c WHERE c.budget = :budget
