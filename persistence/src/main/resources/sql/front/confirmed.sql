SELECT uid FROM front_job WHERE cluster = :cluster AND loss_confirmed
