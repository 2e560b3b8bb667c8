SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- GPUs of its node that a member held, and the period in milliseconds since 1970. The statement that deletes the allocation
-- inserts the row, and rows never change. Arrays have one entry for each GPU.
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
  ended_ms   bigint NOT NULL,
  PRIMARY KEY (attempt, role, idx),
  CHECK (ended_ms >= started_ms)
);
CREATE INDEX usage_interval_ended ON usage_interval (ended_ms);
-- The sum of an old hour reads only intervals that touch it. Intervals have no greatest length, so no index on one end bounds
-- that.
CREATE INDEX usage_interval_span ON usage_interval USING gist (int8range(started_ms, ended_ms));
ALTER TABLE usage_interval ENABLE ROW LEVEL SECURITY;
ALTER TABLE usage_interval FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON usage_interval TO fairlead_app USING (tenant = current_setting('fairlead.tenant')::uuid);
CREATE POLICY all_tenants ON usage_interval TO fairlead_loops USING (true);
GRANT SELECT ON usage_interval TO fairlead_app;
GRANT SELECT, INSERT, DELETE ON usage_interval TO fairlead_loops;

-- State and reserved part of each GPU as the loop usage saw it, in milliseconds since 1970. The last interval of a GPU is
-- open while nothing changes. It outlives node and cluster, so it has no foreign keys.
CREATE TABLE gpu_interval (
  node       uuid   NOT NULL,
  gpu        int    NOT NULL,
  cluster    uuid   NOT NULL,
  pool       text   COLLATE "C" NOT NULL,
  model      text   COLLATE "C" NOT NULL,
  state      text   NOT NULL CHECK (state IN ('SICK', 'MAINTENANCE', 'FREE')),
  kept_milli int    NOT NULL CHECK (kept_milli BETWEEN 0 AND 1000),
  started_ms bigint NOT NULL,
  ended_ms   bigint,
  -- How the GPU is paid for, and the tenant of its pool, null is unknown.
  capacity   text   COLLATE "C" CONSTRAINT gpu_interval_capacity CHECK (capacity IN ('RESERVED', 'ON_DEMAND', 'SPOT')),
  owner      uuid,
  CHECK (ended_ms >= started_ms)
);
CREATE UNIQUE INDEX gpu_interval_open ON gpu_interval (node, gpu) WHERE ended_ms IS NULL;
CREATE INDEX gpu_interval_ended ON gpu_interval (ended_ms) WHERE ended_ms IS NOT NULL;
CREATE INDEX gpu_interval_span ON gpu_interval USING gist (int8range(started_ms, ended_ms));
GRANT SELECT, INSERT, DELETE ON gpu_interval TO fairlead_loops;
GRANT UPDATE (ended_ms) ON gpu_interval TO fairlead_loops;

-- One row: the time of the last look, and the start of the first hour that may still change. An allocation starts and ends at
-- or after that hour, whatever the clock shows. Reports read it too, since they mark numbers that may change.
CREATE TABLE usage_mark (
  one       boolean PRIMARY KEY DEFAULT true CHECK (one),
  look_ms   bigint  NOT NULL,
  open_ms   bigint  NOT NULL,
  -- The first hour whose sums have cluster and capacity type, null until one is written.
  placed_ms bigint
);
GRANT SELECT ON usage_mark TO fairlead_app;
GRANT SELECT, UPDATE ON usage_mark TO fairlead_loops;

INSERT INTO usage_mark (look_ms, open_ms)
SELECT t.ms, t.ms - t.ms % 3600000 FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS ms) AS t;

-- The latest time that the clock of the database may show. Two independent clocks confirm it: the last look of usage_mark,
-- which is raised once a minute while the clock is trusted, and the clock of the calling process, in milliseconds since 1970.
-- The later one counts, so a single wrong machine does no harm. Two more minutes cover the time between two looks and a
-- change of their holder. SteadyClock has the same tolerance.
CREATE FUNCTION fairlead_latest(host bigint) RETURNS timestamptz
  LANGUAGE sql STABLE
  RETURN (SELECT to_timestamp((greatest(m.look_ms, host) + 120000) / 1000.0) FROM usage_mark m);

-- Use by the hour, in thousandths of a GPU times milliseconds. An empty pool is no pool.
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
  cluster  uuid
);
CREATE INDEX usage_hour_of_all ON usage_hour (hour_ms);
CREATE UNIQUE INDEX usage_hour_one ON usage_hour (tenant, hour_ms, project, queue, used_by, cluster, pool, model, capacity)
  NULLS NOT DISTINCT;
-- Finds hours without a cluster among those of a year.
CREATE INDEX usage_hour_unplaced ON usage_hour (hour_ms, tenant) WHERE cluster IS NULL;
ALTER TABLE usage_hour ENABLE ROW LEVEL SECURITY;
ALTER TABLE usage_hour FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON usage_hour TO fairlead_app USING (tenant = current_setting('fairlead.tenant')::uuid);
CREATE POLICY all_tenants ON usage_hour TO fairlead_loops USING (true);
GRANT SELECT ON usage_hour TO fairlead_app;
GRANT SELECT, INSERT, DELETE ON usage_hour TO fairlead_loops;

-- Capacity of the fleet by the hour, in the same unit.
CREATE TABLE fleet_hour (
  hour_ms  bigint NOT NULL,
  cluster  uuid   NOT NULL,
  pool     text   COLLATE "C" NOT NULL,
  model    text   COLLATE "C" NOT NULL,
  bucket   text   NOT NULL,
  milli_ms bigint NOT NULL CHECK (milli_ms >= 0),
  capacity text   COLLATE "C",
  owner    uuid
);
CREATE UNIQUE INDEX fleet_hour_one ON fleet_hour (hour_ms, cluster, pool, owner, model, capacity, bucket) NULLS NOT DISTINCT;
GRANT SELECT, INSERT, DELETE ON fleet_hour TO fairlead_loops;

-- Use of capacity that is paid by the hour, by the reason why reserved capacity did not serve it. Written with the hours that
-- it is computed from, so that a report of a year reads neither clusters nor users.
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

-- Time of reserved GPUs by bucket. Without a tenant for GPUs that all tenants may use.
CREATE TABLE reserved_hour (
  hour_ms  bigint NOT NULL,
  tenant   uuid,
  model    text   COLLATE "C" NOT NULL,
  bucket   text   COLLATE "C" NOT NULL,
  milli_ms bigint NOT NULL CHECK (milli_ms >= 0)
);
CREATE UNIQUE INDEX reserved_hour_one ON reserved_hour (hour_ms, tenant, model, bucket) NULLS NOT DISTINCT;
-- Each tenant sees the GPUs that all may use.
ALTER TABLE reserved_hour ENABLE ROW LEVEL SECURITY;
ALTER TABLE reserved_hour FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON reserved_hour TO fairlead_app
  USING (coalesce(tenant, current_setting('fairlead.tenant')::uuid) = current_setting('fairlead.tenant')::uuid);
CREATE POLICY all_tenants ON reserved_hour TO fairlead_loops USING (true);
GRANT SELECT ON reserved_hour TO fairlead_app;
GRANT SELECT, INSERT, DELETE ON reserved_hour TO fairlead_loops;

-- Keys of labels by which the use of a tenant is summed, each from an hour that had not begun at the time of the request.
-- Hours can be computed again from them, so a row is not deleted.
CREATE TABLE usage_label (
  tenant   uuid   NOT NULL REFERENCES tenant ON DELETE CASCADE,
  from_ms  bigint NOT NULL,
  keys     text[] COLLATE "C" NOT NULL CHECK (cardinality(keys) <= 3),
  named_by text   NOT NULL,
  PRIMARY KEY (tenant, from_ms)
);
ALTER TABLE usage_label ENABLE ROW LEVEL SECURITY;
ALTER TABLE usage_label FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON usage_label TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON usage_label TO fairlead_loops USING (true);
GRANT SELECT, INSERT, UPDATE ON usage_label TO fairlead_app, fairlead_loops;

-- The part of usage_hour with any of these labels. The rest of a sum has none. Clusters are left out.
CREATE TABLE usage_label_hour (
  hour_ms  bigint NOT NULL,
  tenant   uuid   NOT NULL,
  project  uuid   NOT NULL,
  queue    uuid   NOT NULL,
  used_by  text   COLLATE "C" NOT NULL,
  pool     text   COLLATE "C" NOT NULL,
  model    text   COLLATE "C" NOT NULL,
  capacity text   COLLATE "C" NOT NULL,
  labels   jsonb  NOT NULL,
  milli_ms bigint NOT NULL CHECK (milli_ms >= 0),
  PRIMARY KEY (tenant, hour_ms, project, queue, used_by, pool, model, capacity, labels)
);
CREATE INDEX usage_label_hour_of_all ON usage_label_hour (hour_ms);
ALTER TABLE usage_label_hour ENABLE ROW LEVEL SECURITY;
ALTER TABLE usage_label_hour FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON usage_label_hour TO fairlead_app USING (tenant = current_setting('fairlead.tenant')::uuid);
CREATE POLICY all_tenants ON usage_label_hour TO fairlead_loops USING (true);
GRANT SELECT ON usage_label_hour TO fairlead_app;
GRANT SELECT, INSERT, DELETE ON usage_label_hour TO fairlead_loops;

-- Use by the day in UTC, so that a report of a year reads days: sums of closed hours without their cluster.
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

-- The sums of spill_hour by the day in UTC.
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

-- The sums of usage_label_hour by the day in UTC.
CREATE TABLE usage_label_day (
  day_ms   bigint NOT NULL,
  tenant   uuid   NOT NULL,
  project  uuid   NOT NULL,
  queue    uuid   NOT NULL,
  used_by  text   COLLATE "C" NOT NULL,
  pool     text   COLLATE "C" NOT NULL,
  model    text   COLLATE "C" NOT NULL,
  capacity text   COLLATE "C" NOT NULL,
  labels   jsonb  NOT NULL,
  milli_ms bigint NOT NULL CHECK (milli_ms >= 0),
  PRIMARY KEY (tenant, day_ms, project, queue, used_by, pool, model, capacity, labels)
);
CREATE INDEX usage_label_day_of_all ON usage_label_day (day_ms);
ALTER TABLE usage_label_day ENABLE ROW LEVEL SECURITY;
ALTER TABLE usage_label_day FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON usage_label_day TO fairlead_app USING (tenant = current_setting('fairlead.tenant')::uuid);
CREATE POLICY all_tenants ON usage_label_day TO fairlead_loops USING (true);
GRANT SELECT ON usage_label_day TO fairlead_app;
GRANT SELECT, INSERT, DELETE ON usage_label_day TO fairlead_loops;

-- Days whose sums are those of their hours. Reports read the hours of all other days.
CREATE TABLE usage_day_summed (
  day_ms bigint  PRIMARY KEY,
  -- Whether the day is in spill_day.
  spill  boolean NOT NULL DEFAULT false,
  -- Whether the day is in usage_label_day.
  labels boolean NOT NULL DEFAULT false
);
GRANT SELECT ON usage_day_summed TO fairlead_app;
GRANT SELECT, INSERT, UPDATE ON usage_day_summed TO fairlead_loops;

-- A changed hour, also one that was changed manually, removes its day in the same transaction. The writer of a daily sum
-- locks the row of usage_mark too, so a manual change and a sum wait for each other.
CREATE FUNCTION fairlead_unsum_days() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM FROM usage_mark FOR NO KEY UPDATE;
  IF TG_OP = 'TRUNCATE' THEN
    DELETE FROM usage_day_summed;
  ELSE
    DELETE FROM usage_day_summed WHERE day_ms IN (SELECT DISTINCT hour_ms - hour_ms % 86400000 FROM changed);
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER unsum_inserted AFTER INSERT ON usage_hour REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION fairlead_unsum_days();
CREATE TRIGGER unsum_updated AFTER UPDATE ON usage_hour REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION fairlead_unsum_days();
CREATE TRIGGER unsum_deleted AFTER DELETE ON usage_hour REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION fairlead_unsum_days();
CREATE TRIGGER unsum_moved AFTER UPDATE ON usage_hour REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION fairlead_unsum_days();
CREATE TRIGGER unsum_truncated AFTER TRUNCATE ON usage_hour
  FOR EACH STATEMENT EXECUTE FUNCTION fairlead_unsum_days();

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

CREATE TRIGGER unsum_inserted AFTER INSERT ON usage_label_hour REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION fairlead_unsum_days();
CREATE TRIGGER unsum_updated AFTER UPDATE ON usage_label_hour REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION fairlead_unsum_days();
CREATE TRIGGER unsum_moved AFTER UPDATE ON usage_label_hour REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION fairlead_unsum_days();
CREATE TRIGGER unsum_deleted AFTER DELETE ON usage_label_hour REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION fairlead_unsum_days();
CREATE TRIGGER unsum_truncated AFTER TRUNCATE ON usage_label_hour
  FOR EACH STATEMENT EXECUTE FUNCTION fairlead_unsum_days();

-- Spill by the hour. Hours without a cluster have no cause: the stored causes of such an hour are those of an earlier sum.
-- OFFSET limits the search for such an hour to one probe of usage_hour_unplaced.
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

-- Number of jobs of a project and queue that waited for a reason, as the loop usage saw it, in milliseconds since 1970. The
-- last interval is open while the number stays the same. It outlives project and queue, so it has no foreign keys.
CREATE TABLE wait_interval (
  tenant     uuid   NOT NULL,
  project    uuid   NOT NULL,
  queue      uuid   NOT NULL,
  reason     text   COLLATE "C" NOT NULL,
  jobs       int    NOT NULL CHECK (jobs > 0),
  started_ms bigint NOT NULL,
  ended_ms   bigint,
  CHECK (ended_ms >= started_ms)
);
CREATE UNIQUE INDEX wait_interval_open ON wait_interval (tenant, project, queue, reason) WHERE ended_ms IS NULL;
CREATE INDEX wait_interval_ended ON wait_interval (ended_ms) WHERE ended_ms IS NOT NULL;
CREATE INDEX wait_interval_spans ON wait_interval USING gist (int8range(started_ms, ended_ms));
ALTER TABLE wait_interval ENABLE ROW LEVEL SECURITY;
ALTER TABLE wait_interval FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON wait_interval TO fairlead_app USING (tenant = current_setting('fairlead.tenant')::uuid);
CREATE POLICY all_tenants ON wait_interval TO fairlead_loops USING (true);
GRANT SELECT ON wait_interval TO fairlead_app;
GRANT SELECT, INSERT, DELETE ON wait_interval TO fairlead_loops;
GRANT UPDATE (ended_ms) ON wait_interval TO fairlead_loops;

-- Sums of wait_interval by the hour: jobs times milliseconds.
CREATE TABLE wait_hour (
  hour_ms bigint NOT NULL,
  tenant  uuid   NOT NULL,
  project uuid   NOT NULL,
  queue   uuid   NOT NULL,
  reason  text   COLLATE "C" NOT NULL,
  wait_ms bigint NOT NULL CHECK (wait_ms >= 0),
  PRIMARY KEY (tenant, hour_ms, project, queue, reason)
);
CREATE INDEX wait_hour_of_all ON wait_hour (hour_ms);
ALTER TABLE wait_hour ENABLE ROW LEVEL SECURITY;
ALTER TABLE wait_hour FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON wait_hour TO fairlead_app USING (tenant = current_setting('fairlead.tenant')::uuid);
CREATE POLICY all_tenants ON wait_hour TO fairlead_loops USING (true);
GRANT SELECT ON wait_hour TO fairlead_app;
GRANT SELECT, INSERT, DELETE ON wait_hour TO fairlead_loops;

-- Each GPU as the loop usage sees it, and the slices that a node offers as an amount (gpu -1), which are sick or in
-- maintenance with their node. Foreign pods are assigned to GPUs that have room next to allocations and reservations, and to
-- a sick GPU only if no other has room: a foreign pod that is assigned elsewhere would leave its real GPU counted as free.
CREATE VIEW gpu_seen WITH (security_invoker = true) AS
WITH reserved AS (
  SELECT CAST(m -> 'node' ->> 'value' AS uuid) AS node, CAST(g ->> 'index' AS int) AS gpu,
         sum(CAST(g ->> 'milli' AS int)) AS milli
  FROM reservation r
  CROSS JOIN LATERAL jsonb_array_elements(r.members) AS m
  CROSS JOIN LATERAL jsonb_array_elements(m -> 'gpus') AS g
  GROUP BY 1, 2
), slots AS (
  SELECT g.node, g.idx AS gpu, g.state IN ('FAILED', 'UNKNOWN') AS sick, coalesce(k.milli, 0) AS reserved,
         greatest(0, 1000 - g.allocated_milli - coalesce(k.milli, 0)) AS room
  FROM gpu_slot g
  LEFT JOIN reserved k ON k.node = g.node AND k.gpu = g.idx
), others AS (
  SELECT s.node, s.gpu,
         greatest(0, least(s.room, n.foreign_gpu - coalesce(sum(s.room) OVER (
           PARTITION BY s.node ORDER BY s.sick, s.room DESC, s.gpu DESC
           ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0))) AS milli
  FROM slots s
  JOIN node n ON n.id = s.node
  WHERE n.foreign_gpu > 0
)
SELECT s.node, s.gpu, n.cluster, coalesce(n.pool, '') AS pool, n.gpu_model AS model,
       CASE WHEN n.state IN ('QUARANTINED', 'UNREACHABLE') OR s.sick OR c.state IN ('DEGRADED', 'UNREACHABLE') THEN 'SICK'
            WHEN n.state IN ('CORDONED', 'DRAINING') OR c.state IN ('DRAINING', 'DISABLED') THEN 'MAINTENANCE'
            ELSE 'FREE' END AS state,
       CAST(least(1000, s.reserved + coalesce(o.milli, 0)) AS int) AS kept_milli
FROM slots s
JOIN node n ON n.id = s.node
JOIN cluster c ON c.id = n.cluster
LEFT JOIN others o ON o.node = s.node AND o.gpu = s.gpu
WHERE n.state <> 'RETIRED'
UNION ALL
SELECT n.id, -1, n.cluster, coalesce(n.pool, ''), n.gpu_model,
       CASE WHEN n.state IN ('QUARANTINED', 'UNREACHABLE') OR c.state IN ('DEGRADED', 'UNREACHABLE') THEN 'SICK'
            WHEN n.state IN ('CORDONED', 'DRAINING') OR c.state IN ('DRAINING', 'DISABLED') THEN 'MAINTENANCE'
            ELSE 'FREE' END,
       0
FROM node n
JOIN cluster c ON c.id = n.cluster
WHERE n.state <> 'RETIRED' AND CAST(n.allocatable_extended AS text) LIKE '%"nvidia.com/mig-%';
GRANT SELECT ON gpu_seen TO fairlead_loops;
