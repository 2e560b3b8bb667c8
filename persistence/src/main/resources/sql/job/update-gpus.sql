-- Guard: the slot is usable and has enough free capacity. The check constraint of the table is a second guard.
UPDATE gpu_slot AS g
SET allocated_milli = g.allocated_milli + r.milli, slices = r.slices, booked_ms = greatest(g.booked_ms, r.booked_ms)
FROM json_to_recordset(CAST(:rows AS json)) AS r (
  node uuid, gpu int, takes boolean, milli int, before int, slices int, booked_ms bigint)
WHERE g.node = r.node AND g.idx = r.gpu AND g.slices = r.before
  AND (NOT r.takes OR g.state IN ('HEALTHY', 'DEGRADED') AND NOT g.quarantined AND g.allocated_milli + r.milli <= g.size_milli)
