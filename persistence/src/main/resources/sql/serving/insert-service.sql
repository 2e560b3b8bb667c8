INSERT INTO model_service (id, document, tenant, route, revision, content)
VALUES (:id, :document, :tenant, :route, :revision, :content)
