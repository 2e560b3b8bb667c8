SELECT uid FROM front_job WHERE cluster = :cluster AND uid > :after ORDER BY uid LIMIT :most
