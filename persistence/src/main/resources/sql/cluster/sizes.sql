SELECT n.cluster, count(*) AS nodes, count(g.node) AS gpu_nodes, coalesce(sum(g.gpus), 0) AS gpus
FROM node n
LEFT JOIN (SELECT node, count(*) AS gpus FROM gpu_slot GROUP BY node) g ON g.node = n.id
WHERE n.state <> 'RETIRED'
GROUP BY n.cluster
