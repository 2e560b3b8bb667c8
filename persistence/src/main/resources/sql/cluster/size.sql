SELECT count(*) AS nodes, count(g.node) AS gpu_nodes, coalesce(sum(g.gpus), 0) AS gpus
FROM node n
LEFT JOIN (
  SELECT s.node, count(*) AS gpus
  FROM gpu_slot s JOIN node own ON own.id = s.node
  WHERE own.cluster = :cluster AND own.state <> 'RETIRED'
  GROUP BY s.node) g ON g.node = n.id
WHERE n.cluster = :cluster AND n.state <> 'RETIRED'
