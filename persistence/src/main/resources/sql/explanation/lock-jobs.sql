-- A row that this transaction wrote is locked until its end. To lock it again after a savepoint would write a lock of two transactions.
SELECT id FROM job
WHERE id IN (SELECT unnest(CAST(:ids AS uuid[]))) AND xmin <> CAST(pg_current_xact_id() AS xid)
ORDER BY id
FOR NO KEY UPDATE
