UPDATE cluster
SET capacity_type = :capacity, price = CAST(:price AS jsonb), settings = CAST(:settings AS jsonb),
    connection = COALESCE(CAST(CAST(:connection AS text) AS jsonb), connection), version = :version
WHERE id = :id AND version = :version - 1
