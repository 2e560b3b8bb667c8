UPDATE front_job SET job = :job, suspended = :suspended WHERE cluster = :cluster AND uid = :uid
