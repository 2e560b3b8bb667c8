-- Uses the index budget_charge_at_wall, regardless of the number of charged attempts.
SELECT c.budget, c.attempt, t.job, c.wall_ms
FROM budget_charge c
JOIN attempt t ON t.id = c.attempt
WHERE c.wall_ms IS NOT NULL AND c.wall_ms >= :wall
  AND (c.wall_ms, c.attempt, c.budget) > (:wall, :attempt, :budget)
ORDER BY c.wall_ms, c.attempt, c.budget
LIMIT :limit
