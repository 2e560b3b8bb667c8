UPDATE pool
SET tenant = CAST(:tenant AS uuid), selector = CAST(:selector AS jsonb), description = :description, spares = CAST(:spares AS text),
    version = :version
WHERE id = :id AND version = CAST(:version AS bigint) - 1
