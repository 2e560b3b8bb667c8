SELECT at FROM health_event
WHERE cluster = :cluster AND gpu = :gpu AND xid = :xid AND at BETWEEN CAST(:from AS timestamptz) AND CAST(:to AS timestamptz)
ORDER BY at DESC
LIMIT 1000
