SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Which GPUs were there, in which state, and what was kept of them, as the loop that looks saw it, in milliseconds since
-- 1970. The last span of a GPU is open while nothing of it changes. No reference to node or cluster: it outlives both.
CREATE TABLE gpu_interval (
  node       uuid   NOT NULL,
  gpu        int    NOT NULL,
  cluster    uuid   NOT NULL,
  pool       text   COLLATE "C" NOT NULL,
  model      text   COLLATE "C" NOT NULL,
  state      text   NOT NULL CHECK (state IN ('SICK', 'MAINTENANCE', 'FREE')),
  kept_milli int    NOT NULL CHECK (kept_milli BETWEEN 0 AND 1000),
  started_ms bigint NOT NULL,
  ended_ms   bigint CHECK (ended_ms >= started_ms)
);
CREATE UNIQUE INDEX gpu_interval_open ON gpu_interval (node, gpu) WHERE ended_ms IS NULL;
CREATE INDEX gpu_interval_ended ON gpu_interval (ended_ms) WHERE ended_ms IS NOT NULL;
GRANT SELECT, INSERT, DELETE ON gpu_interval TO fairlead_loops;
GRANT UPDATE (ended_ms) ON gpu_interval TO fairlead_loops;

-- What was used and what the fleet was by the hour, in thousandths of a GPU times milliseconds; no pool is an empty text.
CREATE TABLE usage_hour (
  hour_ms  bigint NOT NULL,
  tenant   uuid   NOT NULL,
  project  uuid   NOT NULL,
  queue    uuid   NOT NULL,
  used_by  text   COLLATE "C" NOT NULL,
  pool     text   COLLATE "C" NOT NULL,
  model    text   COLLATE "C" NOT NULL,
  capacity text   COLLATE "C" NOT NULL,
  milli_ms bigint NOT NULL CHECK (milli_ms >= 0),
  PRIMARY KEY (tenant, hour_ms, project, queue, used_by, pool, model, capacity)
);
CREATE INDEX usage_hour_of_all ON usage_hour (hour_ms);
ALTER TABLE usage_hour ENABLE ROW LEVEL SECURITY;
ALTER TABLE usage_hour FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON usage_hour TO fairlead_app USING (tenant = current_setting('fairlead.tenant')::uuid);
CREATE POLICY all_tenants ON usage_hour TO fairlead_loops USING (true);
GRANT SELECT ON usage_hour TO fairlead_app;
GRANT SELECT, INSERT, DELETE ON usage_hour TO fairlead_loops;

CREATE TABLE fleet_hour (
  hour_ms  bigint NOT NULL,
  cluster  uuid   NOT NULL,
  pool     text   COLLATE "C" NOT NULL,
  model    text   COLLATE "C" NOT NULL,
  bucket   text   NOT NULL,
  milli_ms bigint NOT NULL CHECK (milli_ms >= 0),
  PRIMARY KEY (hour_ms, cluster, pool, model, bucket)
);
GRANT SELECT, INSERT, DELETE ON fleet_hour TO fairlead_loops;

-- One row: the time of the last look, and the begin of the first hour that may still change. An allocation begins and ends
-- at or after that hour, whatever the clock says.
CREATE TABLE usage_mark (
  one     boolean PRIMARY KEY DEFAULT true CHECK (one),
  look_ms bigint  NOT NULL,
  open_ms bigint  NOT NULL
);
INSERT INTO usage_mark (look_ms, open_ms)
SELECT t.ms, t.ms - t.ms % 3600000 FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS ms) AS t;
GRANT SELECT, UPDATE ON usage_mark TO fairlead_loops;
