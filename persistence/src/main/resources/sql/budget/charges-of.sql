SELECT c.attempt, c.budget, c.milli, coalesce(c.weight, c.milli) AS weight, c.since_ms, c.until_ms,
       coalesce(c.priced_ms, c.since_ms) AS priced_ms, CAST(coalesce(c.passed, '{}') AS text) AS passed,
       coalesce(c.exhausted_ms, 0) AS exhausted_ms
FROM budget_charge c WHERE c.budget = :budget
