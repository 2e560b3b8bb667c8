SELECT count(*) FROM node n
WHERE n.cluster = :cluster AND n.state <> 'RETIRED' AND EXISTS (SELECT FROM gpu_slot g WHERE g.node = n.id)
