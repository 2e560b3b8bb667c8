-- The end of a domain quarantine has no bearing on the health of its nodes.
SELECT max(at) AS at
FROM (SELECT released_at AS at FROM quarantine
      WHERE cluster = :cluster AND released_at IS NOT NULL
        AND (CAST(:node AS uuid) IS NULL OR node = CAST(:node AS uuid) AND released <> :cleared AND domain_quarantine IS NULL)
      UNION ALL
      SELECT ended_at FROM incident
      WHERE node = CAST(:node AS uuid) AND ended_at IS NOT NULL AND isolation <> :cleared) AS ended
