SELECT content FROM campaign_node WHERE campaign = :campaign AND node = :node
