-- The lock waits for a deletion that has begun and reads the state again. A later deletion waits for this transaction.
INSERT INTO workdir_claim (job, workdir, tenant)
SELECT CAST(:job AS uuid), w.id, w.tenant
FROM workdir w
WHERE w.tenant = :tenant AND w.project = :project AND w.digest = :digest AND w.state = 'STORED'
FOR SHARE OF w
