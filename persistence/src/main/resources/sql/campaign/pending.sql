SELECT content
FROM campaign_node
WHERE campaign = :campaign AND state = 'PENDING' AND node NOT IN (SELECT unnest(CAST(:without AS uuid[])))
ORDER BY position
LIMIT :limit
