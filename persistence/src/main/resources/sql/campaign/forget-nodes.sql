DELETE FROM campaign_node
WHERE (campaign, node) IN (
  SELECT n.campaign, n.node
  FROM campaign c JOIN campaign_node n ON n.campaign = c.id
  WHERE c.ended_at < CAST(:before AS timestamptz)
  LIMIT :most
)
