-- Times rise with positions, except that the time of a transaction may be up to a minute (its timeout) older than its number suggests.
-- All rows before a row that is more than a minute older than the given time are therefore older than that time. The last such row is
-- found by a binary search over the numbers of its incarnation, and the first row since the given time follows it within two minutes of
-- events. Rows above the oldest running transaction do not count, because that transaction may still write an earlier row.
WITH RECURSIVE early AS MATERIALIZED (
  SELECT CAST(:since AS timestamptz) - interval '1 minute' AS before
), begun AS (
  (SELECT incarnation, xid, at FROM event ORDER BY incarnation, xid, seq LIMIT 1)
  UNION ALL
  SELECT n.incarnation, n.xid, n.at
  FROM begun b
  CROSS JOIN LATERAL (
    SELECT e.incarnation, e.xid, e.at FROM event e
    WHERE e.incarnation > b.incarnation
    ORDER BY e.incarnation, e.xid, e.seq
    LIMIT 1) AS n
), chosen AS MATERIALIZED (
  SELECT b.incarnation, CAST(CAST(b.xid AS text) AS bigint) AS low, CAST(CAST(l.xid AS text) AS bigint) AS high
  FROM begun b
  CROSS JOIN LATERAL (
    SELECT e.xid FROM event e WHERE e.incarnation = b.incarnation ORDER BY e.incarnation DESC, e.xid DESC, e.seq DESC LIMIT 1) AS l
  WHERE b.at < (SELECT before FROM early)
  ORDER BY b.incarnation DESC
  LIMIT 1
), halved AS (
  SELECT incarnation, low, high FROM chosen
  UNION ALL
  SELECT h.incarnation, CASE WHEN m.early THEN m.xid ELSE h.low END, CASE WHEN m.early THEN h.high ELSE m.xid END
  FROM halved h
  CROSS JOIN LATERAL (
    SELECT (h.low + h.high) / 2 AS xid, e.at < (SELECT before FROM early) AS early
    FROM event e
    WHERE (e.incarnation, e.xid) >= (h.incarnation, CAST(CAST((h.low + h.high) / 2 AS text) AS xid8))
    ORDER BY e.incarnation, e.xid, e.seq
    LIMIT 1) AS m
  WHERE h.high - h.low > 1
), beginning AS MATERIALIZED (
  SELECT incarnation, CAST(CAST(low AS text) AS xid8) AS xid FROM halved ORDER BY high - low LIMIT 1
)
SELECT incarnation, CAST(CAST(xid AS text) AS bigint) AS xid, seq
FROM event
WHERE at >= :since
  AND (incarnation, xid) >= (
    coalesce((SELECT incarnation FROM beginning), CAST(-32768 AS smallint)), coalesce((SELECT xid FROM beginning), CAST('0' AS xid8)))
  AND (incarnation < (SELECT i.incarnation FROM installation i) OR xid < pg_snapshot_xmin(pg_current_snapshot()))
ORDER BY event.incarnation, event.xid, event.seq
LIMIT 1
