INSERT INTO service_gate AS old (id, batch, stored_at)
VALUES (:gate, :number, :now)
ON CONFLICT (id) DO UPDATE
SET batch = excluded.batch, stored_at = excluded.stored_at
WHERE old.batch < excluded.batch
