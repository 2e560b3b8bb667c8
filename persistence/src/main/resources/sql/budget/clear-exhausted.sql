-- A charge that is exhausted again since then remains.
UPDATE budget_charge SET exhausted_ms = NULL WHERE attempt = :attempt AND budget = :budget AND exhausted_ms = :exhausted
