SELECT state, count(*) AS nodes FROM campaign_node WHERE campaign = :campaign GROUP BY state
