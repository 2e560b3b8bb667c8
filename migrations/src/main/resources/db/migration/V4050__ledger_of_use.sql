SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- The ledger of use: sums by the hour, and of some kinds by the day (UTC). UseKind in the domain says which dimensions a kind has, and
-- which remain in the sum of a day. A column that is no dimension of the kind is null. Amounts are thousandths of a GPU times
-- milliseconds, of waits jobs times milliseconds.
CREATE TABLE use_fact (
  kind     text   COLLATE "C" NOT NULL CHECK (kind IN ('USE', 'LABELLED', 'SPILL', 'RESERVED', 'FLEET', 'WAIT')),
  period   text   COLLATE "C" NOT NULL CHECK (period IN ('HOUR', 'DAY')),
  start_ms bigint NOT NULL,
  amount   bigint NOT NULL CHECK (amount >= 0),
  -- Null for the fleet, and for reserved GPUs that all tenants may use.
  tenant   uuid,
  project  uuid,
  queue    uuid,
  used_by  text   COLLATE "C",
  cluster  uuid,
  pool     text   COLLATE "C",
  model    text   COLLATE "C",
  capacity text   COLLATE "C",
  service  text   COLLATE "C",
  owner    uuid,
  -- Bucket of the fleet and of reserved GPUs, cause of spill, reason of a wait.
  detail   text   COLLATE "C",
  labels   jsonb,
  CONSTRAINT use_fact_tenant CHECK (tenant IS NOT NULL OR kind IN ('FLEET', 'RESERVED'))
);
ALTER TABLE use_fact ENABLE ROW LEVEL SECURITY;
ALTER TABLE use_fact FORCE ROW LEVEL SECURITY;
-- Each tenant sees the reserved GPUs that all may use. The setting is read once for each statement.
CREATE POLICY one_tenant ON use_fact TO fairlead_app
  USING (tenant = (SELECT current_setting('fairlead.tenant')::uuid) OR (tenant IS NULL AND kind = 'RESERVED'));
CREATE POLICY all_tenants ON use_fact TO fairlead_loops USING (true);
GRANT SELECT ON use_fact TO fairlead_app;
GRANT SELECT, INSERT, DELETE ON use_fact TO fairlead_loops;

-- The loop of an earlier version updates this row before it writes an hour or the sums of a day. Until the commit it can do neither,
-- so each table is copied in the same state as usage_day_summed.
SELECT one FROM usage_watermark FOR NO KEY UPDATE;

-- The owner does not see rows of tenants.
SET LOCAL ROLE fairlead_loops;
INSERT INTO use_fact (kind, period, start_ms, amount, tenant, project, queue, used_by, cluster, pool, model, capacity, service)
SELECT 'USE', 'HOUR', hour_ms, milli_ms, tenant, project, queue, used_by, cluster, pool, model, capacity, service FROM usage_hour;
INSERT INTO use_fact (kind, period, start_ms, amount, tenant, project, queue, used_by, pool, model, capacity)
SELECT 'USE', 'DAY', day_ms, milli_ms, tenant, project, queue, used_by, pool, model, capacity FROM usage_day;
INSERT INTO use_fact (kind, period, start_ms, amount, tenant, project, queue, used_by, pool, model, capacity, labels)
SELECT 'LABELLED', 'HOUR', hour_ms, milli_ms, tenant, project, queue, used_by, pool, model, capacity, labels FROM usage_label_hour
UNION ALL
SELECT 'LABELLED', 'DAY', day_ms, milli_ms, tenant, project, queue, used_by, pool, model, capacity, labels FROM usage_label_day;
INSERT INTO use_fact (kind, period, start_ms, amount, tenant, model, capacity, detail)
SELECT 'SPILL', 'HOUR', hour_ms, milli_ms, tenant, model, capacity, cause FROM spill_hour
UNION ALL
SELECT 'SPILL', 'DAY', day_ms, milli_ms, tenant, model, capacity, cause FROM spill_day;
INSERT INTO use_fact (kind, period, start_ms, amount, tenant, model, detail)
SELECT 'RESERVED', 'HOUR', hour_ms, milli_ms, tenant, model, bucket FROM reserved_hour;
INSERT INTO use_fact (kind, period, start_ms, amount, cluster, pool, model, capacity, owner, detail)
SELECT 'FLEET', 'HOUR', hour_ms, milli_ms, cluster, pool, model, capacity, owner, bucket FROM fleet_hour;
INSERT INTO use_fact (kind, period, start_ms, amount, tenant, project, queue, detail)
SELECT 'WAIT', 'HOUR', hour_ms, wait_ms, tenant, project, queue, reason FROM wait_hour;
SET LOCAL ROLE fairlead_owner;

-- squawk-ignore require-concurrent-index-creation
CREATE UNIQUE INDEX use_fact_one ON use_fact (
  kind, period, tenant, start_ms, project, queue, used_by, cluster, pool, model, capacity, service, owner, detail, labels)
  NULLS NOT DISTINCT;
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX use_fact_of_all ON use_fact (kind, period, start_ms);
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX use_fact_of_service ON use_fact (service, kind, period, tenant, start_ms) WHERE service IS NOT NULL;
-- Without statistics, a report of a tenant would read the rows of all tenants.
ANALYZE use_fact;

-- squawk-ignore ban-drop-table
DROP TABLE usage_hour, usage_day, usage_label_hour, usage_label_day, spill_hour, spill_day, reserved_hour, fleet_hour, wait_hour;

-- A changed hour of a kind with days, also one that was changed manually, removes its day in the same transaction. The writer of a
-- daily sum updates the row of usage_watermark too, so a manual change and a sum wait for each other.
CREATE OR REPLACE FUNCTION fairlead_unsum_days() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'TRUNCATE' THEN
    PERFORM FROM usage_watermark FOR NO KEY UPDATE;
    DELETE FROM usage_day_summed;
  ELSIF EXISTS (SELECT FROM changed WHERE period = 'HOUR' AND kind IN ('USE', 'LABELLED', 'SPILL')) THEN
    PERFORM FROM usage_watermark FOR NO KEY UPDATE;
    DELETE FROM usage_day_summed
    WHERE day_ms IN (
      SELECT DISTINCT start_ms - start_ms % 86400000 FROM changed
      WHERE period = 'HOUR' AND kind IN ('USE', 'LABELLED', 'SPILL'));
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER unsum_inserted AFTER INSERT ON use_fact REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION fairlead_unsum_days();
CREATE TRIGGER unsum_updated AFTER UPDATE ON use_fact REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION fairlead_unsum_days();
CREATE TRIGGER unsum_moved AFTER UPDATE ON use_fact REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION fairlead_unsum_days();
CREATE TRIGGER unsum_deleted AFTER DELETE ON use_fact REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION fairlead_unsum_days();
CREATE TRIGGER unsum_truncated AFTER TRUNCATE ON use_fact
  FOR EACH STATEMENT EXECUTE FUNCTION fairlead_unsum_days();
