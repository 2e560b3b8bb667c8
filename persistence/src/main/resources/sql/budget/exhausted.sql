-- Uses the index budget_charge_exhausted, regardless of the number of charged attempts.
SELECT c.budget, c.attempt, t.job, c.exhausted_ms
FROM budget_charge c
JOIN attempt t ON t.id = c.attempt
WHERE c.exhausted_ms IS NOT NULL AND c.exhausted_ms >= :exhausted
  AND (c.exhausted_ms, c.attempt, c.budget) > (:exhausted, :attempt, :budget)
ORDER BY c.exhausted_ms, c.attempt, c.budget
LIMIT :limit
