SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Whatever writes hours takes this row first, and waits here, with no lock that this transaction asks for below.
SELECT one FROM usage_mark FOR NO KEY UPDATE;

-- What was used by the day in UTC, so that a report of a year reads days: closed hours added up, without their cluster.
CREATE TABLE usage_day (
  day_ms   bigint NOT NULL,
  tenant   uuid   NOT NULL,
  project  uuid   NOT NULL,
  queue    uuid   NOT NULL,
  used_by  text   COLLATE "C" NOT NULL,
  pool     text   COLLATE "C" NOT NULL,
  model    text   COLLATE "C" NOT NULL,
  capacity text   COLLATE "C" NOT NULL,
  milli_ms bigint NOT NULL CHECK (milli_ms >= 0),
  PRIMARY KEY (tenant, day_ms, project, queue, used_by, pool, model, capacity)
);
CREATE INDEX usage_day_of_all ON usage_day (day_ms);
ALTER TABLE usage_day ENABLE ROW LEVEL SECURITY;
ALTER TABLE usage_day FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON usage_day TO fairlead_app USING (tenant = current_setting('fairlead.tenant')::uuid);
CREATE POLICY all_tenants ON usage_day TO fairlead_loops USING (true);
GRANT SELECT ON usage_day TO fairlead_app;
GRANT SELECT, INSERT, DELETE ON usage_day TO fairlead_loops;

-- Days whose sums are those of their hours; of others reports read the hours.
CREATE TABLE usage_day_summed (
  day_ms bigint PRIMARY KEY
);
GRANT SELECT ON usage_day_summed TO fairlead_app;
GRANT SELECT, INSERT ON usage_day_summed TO fairlead_loops;

-- An hour that is written again, also by a replica of before or by hand, takes its day out in the same transaction.
CREATE FUNCTION fairlead_unsum_days() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM usage_day_summed WHERE day_ms IN (SELECT DISTINCT hour_ms - hour_ms % 86400000 FROM changed);
  RETURN NULL;
END
$$;
CREATE TRIGGER unsum_inserted AFTER INSERT ON usage_hour REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION fairlead_unsum_days();
CREATE TRIGGER unsum_updated AFTER UPDATE ON usage_hour REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION fairlead_unsum_days();
CREATE TRIGGER unsum_deleted AFTER DELETE ON usage_hour REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION fairlead_unsum_days();
