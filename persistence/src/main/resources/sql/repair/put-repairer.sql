INSERT INTO repairer AS r (cluster, content, version)
SELECT :cluster, CAST(:content AS jsonb), :version
WHERE :version = 1 OR EXISTS (SELECT FROM repairer WHERE cluster = :cluster)
ON CONFLICT (cluster) DO UPDATE SET content = excluded.content, version = excluded.version
WHERE r.version = excluded.version - 1
