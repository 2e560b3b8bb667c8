INSERT INTO service_key
  (service, name, tenant, hash, created_by, created_at, expires_at, requests_per_minute, tokens_per_minute)
VALUES (:service, :name, :tenant, :hash, :created_by, :created_at, :expires_at, :requests_per_minute,
  :tokens_per_minute)
