INSERT INTO health_rule AS r (xid, content, version)
SELECT :xid, CAST(:content AS jsonb), :version
WHERE :version = 1 OR EXISTS (SELECT FROM health_rule WHERE xid = :xid)
ON CONFLICT (xid) DO UPDATE SET content = excluded.content, version = excluded.version
WHERE r.version = excluded.version - 1
