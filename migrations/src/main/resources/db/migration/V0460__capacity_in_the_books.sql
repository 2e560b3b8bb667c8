SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- What tenants used of capacity that is paid by the hour, by what reserved capacity could have done for it; and the time of
-- reserved GPUs by bucket, without a tenant those that all may use. Written with the hours that they follow from, so that a
-- year is read without adding up clusters and users.
CREATE TABLE spill_hour (
  hour_ms  bigint NOT NULL,
  tenant   uuid   NOT NULL,
  model    text   COLLATE "C" NOT NULL,
  capacity text   COLLATE "C" NOT NULL,
  cause    text   COLLATE "C" NOT NULL,
  milli_ms bigint NOT NULL CHECK (milli_ms >= 0),
  PRIMARY KEY (tenant, hour_ms, model, capacity, cause)
);
CREATE INDEX spill_hour_of_all ON spill_hour (hour_ms);
ALTER TABLE spill_hour ENABLE ROW LEVEL SECURITY;
ALTER TABLE spill_hour FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON spill_hour TO fairlead_app USING (tenant = current_setting('fairlead.tenant')::uuid);
CREATE POLICY all_tenants ON spill_hour TO fairlead_loops USING (true);
GRANT SELECT ON spill_hour TO fairlead_app;
GRANT SELECT, INSERT, DELETE ON spill_hour TO fairlead_loops;

CREATE TABLE reserved_hour (
  hour_ms  bigint NOT NULL,
  tenant   uuid,
  model    text   COLLATE "C" NOT NULL,
  bucket   text   COLLATE "C" NOT NULL,
  milli_ms bigint NOT NULL CHECK (milli_ms >= 0)
);
CREATE UNIQUE INDEX reserved_hour_one ON reserved_hour (hour_ms, tenant, model, bucket) NULLS NOT DISTINCT;
ALTER TABLE reserved_hour ENABLE ROW LEVEL SECURITY;
ALTER TABLE reserved_hour FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON reserved_hour TO fairlead_app
  USING (coalesce(tenant, current_setting('fairlead.tenant')::uuid) = current_setting('fairlead.tenant')::uuid);
CREATE POLICY all_tenants ON reserved_hour TO fairlead_loops USING (true);
GRANT SELECT ON reserved_hour TO fairlead_app;
GRANT SELECT, INSERT, DELETE ON reserved_hour TO fairlead_loops;

-- How a GPU is paid for, and which tenant its pool was kept for, as the loop that looks saw it. What was seen before says
-- neither: null is unknown, and stays so; so the check reads no old row. Last, and in the order of the loop, because
-- readers of reports wait from here to the end; no statement reads a table.
-- The first hour with these columns is placed_ms; null until one is written.
ALTER TABLE usage_mark ADD COLUMN placed_ms bigint;
ALTER TABLE gpu_interval ADD COLUMN capacity text COLLATE "C";
ALTER TABLE gpu_interval ADD CONSTRAINT gpu_interval_capacity CHECK (capacity IN ('RESERVED', 'ON_DEMAND', 'SPOT')) NOT VALID;
ALTER TABLE gpu_interval ADD COLUMN owner uuid;
ALTER TABLE usage_hour ADD COLUMN cluster uuid;
ALTER TABLE fleet_hour ADD COLUMN capacity text COLLATE "C";
ALTER TABLE fleet_hour ADD COLUMN owner uuid;
