UPDATE workdir w SET state = 'STORED', used_at = now()
WHERE w.id = :id AND w.state = 'UPLOADING'
  AND NOT EXISTS (SELECT FROM workdir o
                  WHERE o.tenant = w.tenant AND o.project = w.project AND o.digest = w.digest AND o.state = 'STORED')
