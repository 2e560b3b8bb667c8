SET LOCAL ROLE fairlead_owner;

-- As in V0692: whatever writes hours holds this row for as long as it reckons.
SET LOCAL lock_timeout = '60s';
SELECT one FROM usage_mark FOR NO KEY UPDATE;
SET LOCAL lock_timeout = '5s';

-- What was used of capacity that is paid by the hour, with its causes, by the day in UTC.
CREATE TABLE spill_day (
  day_ms   bigint NOT NULL,
  tenant   uuid   NOT NULL,
  model    text   COLLATE "C" NOT NULL,
  capacity text   COLLATE "C" NOT NULL,
  cause    text   COLLATE "C" NOT NULL,
  milli_ms bigint NOT NULL CHECK (milli_ms >= 0),
  PRIMARY KEY (tenant, day_ms, model, capacity, cause)
);
CREATE INDEX spill_day_of_all ON spill_day (day_ms);
ALTER TABLE spill_day ENABLE ROW LEVEL SECURITY;
ALTER TABLE spill_day FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON spill_day TO fairlead_app USING (tenant = current_setting('fairlead.tenant')::uuid);
CREATE POLICY all_tenants ON spill_day TO fairlead_loops USING (true);
GRANT SELECT ON spill_day TO fairlead_app;
GRANT SELECT, INSERT, DELETE ON spill_day TO fairlead_loops;

-- The same by the hour. Use has no cause where the hour was added up before GPUs had a capacity type, or by a replica of
-- before, which leaves the cluster out; what is stored of the causes of such an hour is of an earlier sum. OFFSET keeps the
-- look for such an hour at one probe of usage_hour_unplaced, however many there are.
CREATE VIEW spill_by_hour WITH (security_invoker = true) AS
SELECT h.hour_ms, h.tenant, h.model, h.capacity, h.cause, h.milli_ms
FROM spill_hour h
WHERE h.hour_ms >= (SELECT placed_ms FROM usage_mark)
  AND NOT EXISTS (
    SELECT FROM usage_hour u WHERE u.cluster IS NULL AND u.hour_ms = h.hour_ms AND u.tenant = h.tenant OFFSET 0)
UNION ALL
SELECT u.hour_ms, u.tenant, u.model, u.capacity, 'UNKNOWN', u.milli_ms
FROM usage_hour u
WHERE u.capacity <> 'RESERVED' AND u.hour_ms < (SELECT coalesce(placed_ms, 9223372036854775807) FROM usage_mark)
UNION ALL
SELECT u.hour_ms, u.tenant, u.model, u.capacity, 'UNKNOWN', u.milli_ms
FROM usage_hour u
WHERE u.capacity <> 'RESERVED' AND u.cluster IS NULL AND u.hour_ms >= (SELECT placed_ms FROM usage_mark);
GRANT SELECT ON spill_by_hour TO fairlead_app, fairlead_loops;

-- Causes that are written again take their day out, too.
CREATE TRIGGER unsum_inserted AFTER INSERT ON spill_hour REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION fairlead_unsum_days();
CREATE TRIGGER unsum_updated AFTER UPDATE ON spill_hour REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION fairlead_unsum_days();
CREATE TRIGGER unsum_moved AFTER UPDATE ON spill_hour REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION fairlead_unsum_days();
CREATE TRIGGER unsum_deleted AFTER DELETE ON spill_hour REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION fairlead_unsum_days();
CREATE TRIGGER unsum_truncated AFTER TRUNCATE ON spill_hour
  FOR EACH STATEMENT EXECUTE FUNCTION fairlead_unsum_days();

-- Whether the day is in spill_day, too. Days that a replica of before adds up are not. Last, because reports wait from here on.
ALTER TABLE usage_day_summed ADD COLUMN spill boolean NOT NULL DEFAULT false;
GRANT UPDATE ON usage_day_summed TO fairlead_loops;
