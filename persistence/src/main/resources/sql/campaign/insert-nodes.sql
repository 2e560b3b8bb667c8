INSERT INTO campaign_node (campaign, node, position, state, content, version)
SELECT :campaign, n.node, n.position, n.state, CAST(n.content AS jsonb), n.version
FROM jsonb_to_recordset(CAST(:nodes AS jsonb)) AS n (node uuid, position int, state text, content text, version bigint)
