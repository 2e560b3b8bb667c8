SELECT c.attempt, c.budget, c.milli, c.since_ms, c.until_ms FROM budget_charge c WHERE c.budget = :budget
