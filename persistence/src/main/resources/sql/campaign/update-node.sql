UPDATE campaign_node
SET state = :state, content = CAST(:content AS jsonb), version = :version
WHERE campaign = :campaign AND node = :node AND version = :version - 1
