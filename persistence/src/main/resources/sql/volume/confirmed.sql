SELECT id FROM volume WHERE cluster = :cluster AND missing_since IS NOT NULL AND loss_confirmed
