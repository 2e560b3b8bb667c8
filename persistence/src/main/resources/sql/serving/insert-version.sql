INSERT INTO model_service_version (service, number, tenant, content) VALUES (:service, :number, :tenant, :content)
