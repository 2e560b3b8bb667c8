SELECT n.id, n.name, EXISTS (SELECT FROM incident i WHERE i.node = n.id AND i.ended_at IS NULL) AS faulty
FROM node n
WHERE n.cluster = :cluster AND n.name IN (SELECT unnest(CAST(:names AS text[]))) AND n.state <> 'RETIRED'
