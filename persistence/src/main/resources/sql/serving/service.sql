SELECT content FROM model_service WHERE tenant = :tenant AND document = :document
