DELETE FROM front_job WHERE cluster = :cluster AND uid = :uid
