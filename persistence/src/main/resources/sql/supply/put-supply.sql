INSERT INTO pool_supply AS s (pool, content, version)
SELECT :pool, CAST(:content AS jsonb), :version
WHERE :version = 1 OR EXISTS (SELECT FROM pool_supply WHERE pool = :pool)
ON CONFLICT (pool) DO UPDATE SET content = excluded.content, version = excluded.version
WHERE s.version = excluded.version - 1
