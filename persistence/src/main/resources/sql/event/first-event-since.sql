-- A transaction gets its time at its start and its number at its first write, at most its timeout of a minute later: the first in
-- delivery order is among the events of the first minute.
WITH near AS MATERIALIZED (
  SELECT incarnation, xid, seq FROM event
  WHERE at >= :since
    AND at < (SELECT e.at FROM event e WHERE e.at >= :since ORDER BY e.at LIMIT 1) + interval '1 minute'
)
SELECT incarnation, CAST(CAST(xid AS text) AS bigint) AS xid, seq
FROM near
ORDER BY near.incarnation, near.xid, near.seq
LIMIT 1
