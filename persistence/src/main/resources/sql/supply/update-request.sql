UPDATE supply_request
SET settled_at = CAST(:settled AS timestamptz), ended_at = CAST(:ended AS timestamptz), content = CAST(:content AS jsonb),
    version = :version
WHERE id = :id AND version = :version - 1
