UPDATE workdir w SET state = 'DELETING', used_at = now()
WHERE w.id IN (SELECT unnest(CAST(:ids AS uuid[])))
  AND NOT (w.state = 'STORED' AND EXISTS (SELECT FROM workdir_claim c WHERE c.workdir = w.id))
RETURNING w.*
