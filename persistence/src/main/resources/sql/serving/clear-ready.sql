UPDATE model_service_traffic SET ready = '{}' WHERE cluster = :cluster AND ready <> '{}'
