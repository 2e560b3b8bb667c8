SELECT content
FROM campaign_node
WHERE campaign = :campaign AND position > :behind
ORDER BY position
LIMIT :limit
