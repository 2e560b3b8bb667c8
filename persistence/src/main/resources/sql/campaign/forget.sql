DELETE FROM campaign c
WHERE c.ended_at < CAST(:before AS timestamptz)
  AND NOT EXISTS (SELECT 1 FROM campaign_node n WHERE n.campaign = c.id)
