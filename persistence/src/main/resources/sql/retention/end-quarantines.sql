-- Ends quarantines of nodes that their clusters have not listed for this time, with the incidents of these nodes. A quarantine that an
-- operator holds lasts until the operator releases it. A quarantine of a domain belongs to the domain, which covers a returning node
-- again. Incidents of removed clusters end too: their quarantines were deleted with the cluster.
WITH gone AS (
  SELECT id FROM node_retired n WHERE retired_at < now() - make_interval(secs => :seconds)
    AND NOT EXISTS (SELECT FROM quarantine h WHERE h.node = n.id AND h.owner IS NOT NULL AND h.domain_quarantine IS NULL
                                            AND h.released_at IS NULL)
), over AS (
  UPDATE incident SET ended_at = now()
  WHERE ended_at IS NULL AND (node IN (SELECT id FROM gone) OR cluster IN (SELECT id FROM cluster_removed))
)
UPDATE quarantine SET released_at = now(), released = 'its cluster no longer lists the node'
WHERE released_at IS NULL AND node IN (SELECT id FROM gone)
