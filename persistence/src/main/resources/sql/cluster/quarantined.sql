SELECT node FROM quarantine
WHERE cluster = :cluster AND released_at IS NULL
