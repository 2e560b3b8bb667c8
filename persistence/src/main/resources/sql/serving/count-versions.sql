SELECT count(*) FROM model_service_version WHERE tenant = :tenant AND service = :service
