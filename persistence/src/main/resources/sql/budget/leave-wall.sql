-- One that was put there again meanwhile stays.
UPDATE budget_charge SET wall_ms = NULL WHERE attempt = :attempt AND budget = :budget AND wall_ms = :wall
