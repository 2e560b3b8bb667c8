UPDATE namespace_removal
SET tries = tries + 1, why = :why, next_at = now() + make_interval(secs => :seconds)
WHERE cluster = :cluster AND namespace = :namespace AND project = :project
