SELECT 1 FROM model_service WHERE tenant = :tenant AND id = :service FOR NO KEY UPDATE
