-- A burst lasts less than three minutes, so a burst that began before the range may end within the range.
SELECT t.at
FROM (SELECT at, last_at FROM health_event
      WHERE cluster = :cluster AND gpu = :gpu AND xid = :xid
        AND at BETWEEN CAST(:from AS timestamptz) - interval '3 minutes' AND CAST(:to AS timestamptz)
      ORDER BY at DESC
      LIMIT 1000) e
CROSS JOIN LATERAL (VALUES (e.at), (e.last_at)) AS t (at)
WHERE t.at BETWEEN CAST(:from AS timestamptz) AND CAST(:to AS timestamptz)
