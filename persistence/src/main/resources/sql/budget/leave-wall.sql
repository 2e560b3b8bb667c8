-- A charge that has returned to the wall since then remains.
UPDATE budget_charge SET wall_ms = NULL WHERE attempt = :attempt AND budget = :budget AND wall_ms = :wall
