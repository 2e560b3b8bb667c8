-- Open incidents and active quarantines of nodes that one cluster, or any cluster, has not listed for this time. A quarantine
-- that an operator holds lasts until the operator releases it. A quarantine of a domain belongs to the domain, which covers a returning
-- node again. Incidents of removed clusters are included. Their quarantines were deleted with the cluster.
WITH gone AS (
  SELECT id FROM node_retired n WHERE retired_at < now() - make_interval(secs => :seconds)
    AND NOT EXISTS (SELECT FROM quarantine h WHERE h.node = n.id AND h.owner IS NOT NULL AND h.domain_quarantine IS NULL
                                            AND h.released_at IS NULL)
), due AS (
  SELECT cluster, id AS incident, CAST(NULL AS uuid) AS quarantine
  FROM incident
  WHERE ended_at IS NULL AND (node IN (SELECT id FROM gone) OR cluster IN (SELECT id FROM cluster_removed))
  UNION ALL
  SELECT cluster, NULL, id
  FROM quarantine
  WHERE released_at IS NULL AND node IN (SELECT id FROM gone)
)
SELECT cluster, incident, quarantine, now() AS now
FROM due
WHERE CAST(:cluster AS uuid) IS NULL OR cluster = CAST(:cluster AS uuid)
ORDER BY cluster, incident, quarantine
LIMIT :limit
