SELECT id FROM health_event
WHERE cluster = :cluster AND id IN (SELECT unnest(:ids))
