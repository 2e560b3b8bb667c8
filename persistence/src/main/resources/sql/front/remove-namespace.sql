DELETE FROM front_namespace WHERE cluster = :cluster AND namespace = :namespace
