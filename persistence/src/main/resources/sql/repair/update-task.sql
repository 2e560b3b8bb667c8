UPDATE repair_task
SET ended_at = CAST(:ended AS timestamptz), content = CAST(:content AS jsonb), version = :version
WHERE id = :id AND version = :version - 1
