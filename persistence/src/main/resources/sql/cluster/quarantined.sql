SELECT node, gpu FROM quarantine
WHERE cluster = :cluster AND released_at IS NULL
