-- Those of nodes that their clusters did not list for so long, with the incidents of these nodes.
WITH gone AS (
  SELECT id FROM node_retired WHERE retired_at < now() - make_interval(secs => :seconds)
), over AS (
  UPDATE incident SET ended_at = now()
  WHERE ended_at IS NULL AND node IN (SELECT id FROM gone)
)
UPDATE quarantine SET released_at = now(), released = 'its cluster no longer lists the node'
WHERE released_at IS NULL AND node IN (SELECT id FROM gone)
