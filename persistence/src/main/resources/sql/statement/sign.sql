INSERT INTO statement (tenant, month, document)
VALUES (:tenant, :month, :document)
ON CONFLICT (tenant, month) DO NOTHING
