-- Times rise with positions, except that a transaction has its time up to its timeout of a minute before its number. A row that is more
-- than a minute earlier than the given time is therefore behind no row of that time. The last of these rows is found by halving the
-- numbers of its incarnation, and the first row of that time follows it within events of two minutes. Rows behind the oldest running
-- transaction do not count, because it may yet write an earlier one.
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
