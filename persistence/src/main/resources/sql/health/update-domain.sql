UPDATE domain_quarantine
SET reason = :reason, owner = :owner, until = CAST(:until AS timestamptz), released_at = CAST(:released_at AS timestamptz),
    released = :released, version = :version
WHERE id = :id AND version = :version - 1
