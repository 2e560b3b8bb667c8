UPDATE volume_transfer
SET ended_at = CAST(:ended AS timestamptz), version = :version, content = CAST(:content AS jsonb)
WHERE tenant = :tenant AND id = :id AND version = :version - 1
