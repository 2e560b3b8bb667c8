SELECT r.id
FROM json_to_recordset(CAST(:rows AS json)) AS r (id text, burst text, at timestamptz)
JOIN health_event e ON e.cluster = :cluster AND e.id = r.burst
WHERE r.at BETWEEN e.at AND e.last_at
