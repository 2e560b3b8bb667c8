SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';
-- in the order of those that write them
LOCK TABLE gpu_slot, allocation IN ACCESS EXCLUSIVE MODE;

-- An allocation says since when it is held and in which pool its node was then; a GPU how far its time has been booked.
-- What is held at the upgrade counts from the upgrade.
DO $$
BEGIN
  EXECUTE format('ALTER TABLE allocation ADD COLUMN since_ms bigint NOT NULL DEFAULT %s',
    (extract(epoch FROM clock_timestamp()) * 1000)::bigint);
END
$$;
-- replicas of before, which know no such column, go on placing jobs while they are replaced
ALTER TABLE allocation ALTER COLUMN since_ms SET DEFAULT (extract(epoch FROM clock_timestamp()) * 1000)::bigint;
ALTER TABLE allocation ADD COLUMN pool text COLLATE "C";
ALTER TABLE gpu_slot ADD COLUMN booked_ms bigint NOT NULL DEFAULT 0;

-- What a member held of the GPUs of its node, and from when to when, in milliseconds since 1970. Written by the statement
-- that removes its allocation; rows are never changed. Arrays have one entry for each GPU.
CREATE TABLE usage_interval (
  attempt    uuid   NOT NULL,
  role       text   COLLATE "C" NOT NULL,
  idx        int    NOT NULL,
  tenant     uuid   NOT NULL,
  project    uuid   NOT NULL,
  queue      uuid   NOT NULL,
  used_by    text   COLLATE "C" NOT NULL,
  job        uuid   NOT NULL,
  cluster    uuid   NOT NULL,
  node       uuid   NOT NULL,
  pool       text   COLLATE "C",
  model      text   COLLATE "C" NOT NULL,
  capacity   text   COLLATE "C" NOT NULL,
  gpus       int[]  NOT NULL,
  milli      int[]  NOT NULL,
  slices     int[]  NOT NULL,
  started_ms bigint NOT NULL,
  ended_ms   bigint NOT NULL CHECK (ended_ms >= started_ms),
  PRIMARY KEY (attempt, role, idx)
);
CREATE INDEX usage_interval_ended ON usage_interval (ended_ms);

ALTER TABLE usage_interval ENABLE ROW LEVEL SECURITY;
ALTER TABLE usage_interval FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON usage_interval TO fairlead_app
  USING (tenant = current_setting('fairlead.tenant')::uuid);
CREATE POLICY all_tenants ON usage_interval TO fairlead_loops USING (true);
GRANT SELECT ON usage_interval TO fairlead_app;
GRANT SELECT, INSERT, DELETE ON usage_interval TO fairlead_loops;
