-- Those of the given nodes that at least :burst recent events of the cluster name.
SELECT n.id
FROM event e
CROSS JOIN LATERAL jsonb_array_elements_text(e.data -> 'nodes') AS s (name)
JOIN node n ON n.cluster = :cluster AND n.name = s.name
WHERE e.subject = :cluster AND e.subject_kind = 'CLUSTER' AND e.tenant = :fleet AND e.type IN (:types)
  AND e.at > now() - CAST(:window AS interval) AND e.at < now() + interval '1 day'
  AND n.id IN (SELECT unnest(CAST(:subjects AS uuid[])))
GROUP BY n.id
HAVING count(*) >= :burst
