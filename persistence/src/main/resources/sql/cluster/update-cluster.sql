UPDATE cluster
SET state = :state, capabilities = CAST(:capabilities AS jsonb), last_seen_at = CAST(:seen AS timestamptz),
    trouble = CAST(:trouble AS text), version = :version
WHERE id = :id AND version = :version - 1
