SELECT max(released_at) AS at FROM quarantine
WHERE cluster = :cluster AND (CAST(:node AS uuid) IS NULL OR node = CAST(:node AS uuid)) AND released_at IS NOT NULL
