SELECT count(*) AS nodes, count(*) FILTER (WHERE g.gpus > 0) AS gpu_nodes, coalesce(sum(g.gpus), 0) AS gpus
FROM node n
CROSS JOIN LATERAL (SELECT count(*) AS gpus FROM gpu_slot s WHERE s.node = n.id) g
WHERE n.cluster = :cluster AND n.state <> 'RETIRED'
