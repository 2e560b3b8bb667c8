-- Like last-released, for many nodes.
SELECT node, max(at) AS at
FROM (SELECT node, released_at AS at FROM quarantine
      WHERE node = ANY (:nodes) AND released_at > :after AND released <> :cleared AND domain_quarantine IS NULL
      UNION ALL
      SELECT node, ended_at FROM incident
      WHERE node = ANY (:nodes) AND ended_at > :after AND isolation <> :cleared) AS ended
GROUP BY node
