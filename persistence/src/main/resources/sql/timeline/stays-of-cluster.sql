-- Each part uses an index of open or recently ended rows, so older rows are not read.
SELECT node
FROM (
  SELECT node FROM incident WHERE ended_at IS NULL AND cluster = :cluster
  UNION
  SELECT node FROM incident WHERE ended_at >= :since AND cluster = :cluster
  UNION
  SELECT node FROM quarantine WHERE released_at IS NULL AND cluster = :cluster
  UNION
  SELECT node FROM quarantine WHERE released_at >= :since AND cluster = :cluster
  UNION
  SELECT nodes[1] FROM hang WHERE at >= :since AND cluster = :cluster
  UNION
  SELECT node FROM operation WHERE ended_at IS NULL AND cluster = :cluster AND node IS NOT NULL
  UNION
  SELECT node FROM operation WHERE ended_at >= :since AND cluster = :cluster AND node IS NOT NULL
) AS news
ORDER BY node
LIMIT :limit
