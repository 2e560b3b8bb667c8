-- Selects the events of one code among a bounded number of the newest events of all codes, or one row without a node if none matches.
-- Each row has the time since which all events were read, just after the oldest one, whose time may have more events. An index of codes
-- would be written with every event for a rare read.
WITH looked_at AS MATERIALIZED (
  SELECT cluster, node, node_name, gpu, xid, message, at, coalesce(last_at, at) AS last_at, received_at, incident
  FROM health_event
  WHERE received_at >= :since
  ORDER BY received_at DESC
  LIMIT :most
), reach AS (
  SELECT CASE WHEN count(*) < :most THEN :since ELSE min(received_at) + interval '1 microsecond' END AS reached
  FROM looked_at
)
SELECT r.reached, e.cluster, e.node, e.node_name, e.gpu, e.message, e.at, e.last_at, e.received_at, e.incident
FROM reach r
LEFT JOIN looked_at e ON e.xid = :xid AND e.node IS NOT NULL
