SELECT n.content
FROM campaign c JOIN campaign_node n ON n.campaign = c.id
WHERE c.ended_at IS NULL AND n.state IN ('DRAINING', 'READY', 'SOAKING', 'UNHEALTHY')
ORDER BY n.campaign, n.position
