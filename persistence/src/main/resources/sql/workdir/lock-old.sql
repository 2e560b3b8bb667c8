-- Locks first: the next statement sees the claims that were committed before these locks. It also moves an
-- archive that cannot be removed to the end.
SELECT w.id FROM workdir w
WHERE w.state = 'DELETING'
   OR w.state = 'UPLOADING' AND w.created_at < now() - make_interval(secs => :upload)
   OR w.state = 'STORED' AND w.used_at < now() - make_interval(secs => :unclaimed)
      AND NOT EXISTS (SELECT FROM workdir_claim c WHERE c.workdir = w.id)
ORDER BY w.used_at, w.id
LIMIT :limit
FOR UPDATE SKIP LOCKED
