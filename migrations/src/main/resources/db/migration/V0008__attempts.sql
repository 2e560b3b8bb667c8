SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

CREATE TABLE attempt (
  id                 uuid        PRIMARY KEY,
  job                uuid        NOT NULL REFERENCES job ON DELETE CASCADE,
  element            int         NOT NULL,
  number             int         NOT NULL CHECK (number > 0),
  tenant             uuid        NOT NULL,
  state              text        NOT NULL,
  live               boolean     NOT NULL GENERATED ALWAYS AS
                                 (state IN ('PLANNED', 'LAUNCHING', 'PULLING', 'RUNNING', 'STOPPING', 'UNKNOWN')) STORED,
  cluster            uuid        NOT NULL,
  term               bigint      NOT NULL,
  created_at         timestamptz NOT NULL,
  started_at         timestamptz,
  ended_at           timestamptz,
  stop_cause         text,
  stop_deadline      timestamptz,
  failure            jsonb,
  retired_at         timestamptz,
  -- Time of the last checkpoint that the job can resume from.
  checkpointed_at    timestamptz,
  -- Time from which the start of the attempt counts, and the time since which it is unreachable.
  launched_at        timestamptz,
  unreachable_since  timestamptz,
  -- Request for a checkpoint before a stop: its time, its deadline and the end of the wait.
  checkpoint_request jsonb,
  -- Values by name that the program reported, at most 64 KiB. They are archived and deleted with the attempt.
  outputs            jsonb,
  UNIQUE (job, element, number),
  CHECK (
    state IN ('PLANNED', 'LAUNCHING', 'PULLING', 'RUNNING', 'STOPPING', 'SUCCEEDED', 'FAILED', 'PREEMPTED',
    'EVICTED', 'LOST', 'CANCELLED', 'UNKNOWN'))
) WITH (fillfactor = 80, autovacuum_vacuum_cost_limit = 2000);
-- At most one live attempt of a job and element.
CREATE UNIQUE INDEX attempt_live ON attempt (job, element) WHERE live;
CREATE INDEX attempt_unretired ON attempt (cluster, id) WHERE retired_at IS NULL;
CREATE INDEX attempt_actionable ON attempt (cluster, id)
  WHERE retired_at IS NULL AND state NOT IN ('PULLING', 'RUNNING', 'UNKNOWN');
-- Attempts that ended because of their node. Each plan reads those of the last hour.
CREATE INDEX attempt_place_failed ON attempt (ended_at)
  WHERE (failure ->> 'cause') IN ('PLACEMENT_CONFLICT', 'START_TIMEOUT', 'NODE_FAILURE', 'GPU_FAULT');
-- Attempts that moved back to reserved capacity. Each plan counts those of the last hour by queue.
CREATE INDEX attempt_moved_back ON attempt (ended_at) WHERE (failure ->> 'right') = 'MOVED_BACK';
ALTER TABLE attempt ENABLE ROW LEVEL SECURITY;
ALTER TABLE attempt FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON attempt TO fairlead_app USING (tenant = current_setting('fairlead.tenant')::uuid);
CREATE POLICY all_tenants ON attempt TO fairlead_loops USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON attempt TO fairlead_app, fairlead_loops;

-- A member is inserted at its placement and updated at its end, and no index has the changed columns. With half of each page
-- free, these updates stay on their page and write no index entry.
CREATE TABLE member (
  attempt        uuid        NOT NULL REFERENCES attempt ON DELETE CASCADE,
  role           text        COLLATE "C" NOT NULL,
  idx            int         NOT NULL,
  tenant         uuid        NOT NULL,
  ordinal        int         NOT NULL,
  incarnation    int         NOT NULL,
  state          text        NOT NULL,
  node           uuid        NOT NULL,
  node_name      text        NOT NULL,
  model          text        NOT NULL,
  capacity       text        NOT NULL,
  cpu            bigint      NOT NULL,
  memory_mib     bigint      NOT NULL,
  gpu            bigint      NOT NULL,
  pods           bigint      NOT NULL,
  extended       jsonb       NOT NULL,
  gpus           jsonb       NOT NULL,
  uid            text,
  boot_id        text,
  exit_code      int,
  reason         text,
  started_at     timestamptz,
  ended_at       timestamptz,
  evidence       text,
  -- Members that join a running attempt or leave it, null for all others.
  standing       text        CHECK (standing IN ('JOINING', 'LEAVING', 'LEFT')),
  standing_since timestamptz,
  -- Devices of the member as sources reported them, with the source of each list.
  devices        jsonb       NOT NULL DEFAULT '[]',
  PRIMARY KEY (attempt, role, idx)
) WITH (autovacuum_vacuum_cost_limit = 2000, fillfactor = 50);
-- The supervisor looks for members that join or leave.
CREATE INDEX member_moving ON member (attempt) WHERE standing IN ('JOINING', 'LEAVING');
ALTER TABLE member ENABLE ROW LEVEL SECURITY;
ALTER TABLE member FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON member TO fairlead_app USING (tenant = current_setting('fairlead.tenant')::uuid);
CREATE POLICY all_tenants ON member TO fairlead_loops USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON member TO fairlead_app, fairlead_loops;

-- GPU shares of live attempts: a row exists from PLANNED until the attempt is terminal.
CREATE TABLE allocation (
  attempt  uuid   NOT NULL REFERENCES attempt ON DELETE CASCADE,
  role     text   COLLATE "C" NOT NULL,
  idx      int    NOT NULL,
  node     uuid   NOT NULL,
  gpu      int    NOT NULL,
  milli    int    NOT NULL CHECK (milli BETWEEN 1 AND 1000),
  slices   int    NOT NULL DEFAULT 0 CHECK (slices BETWEEN 0 AND 511),
  -- Start of the allocation in milliseconds since 1970, and the pool of its node at that time.
  since_ms bigint NOT NULL DEFAULT (extract(epoch FROM clock_timestamp()) * 1000)::bigint,
  pool     text   COLLATE "C",
  PRIMARY KEY (attempt, role, idx, gpu),
  FOREIGN KEY (node, gpu) REFERENCES gpu_slot
) WITH (autovacuum_vacuum_cost_limit = 2000);
-- A whole device has one holder. The check of gpu_slot bounds the sum of shares.
CREATE UNIQUE INDEX allocation_whole ON allocation (node, gpu) WHERE milli = 1000;
CREATE INDEX allocation_slot ON allocation (node, gpu);
-- The policy of its attempt decides, so that an allocation needs no tenant.
ALTER TABLE allocation ENABLE ROW LEVEL SECURITY;
ALTER TABLE allocation FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON allocation TO fairlead_app USING (EXISTS (SELECT FROM attempt a WHERE a.id = allocation.attempt));
CREATE POLICY all_tenants ON allocation TO fairlead_loops USING (true);
GRANT SELECT ON allocation TO fairlead_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON allocation TO fairlead_loops;

-- Slices that a node offers as an amount, in thousandths of a GPU, and the start in milliseconds since 1970. It is not known
-- on which GPUs of the node they are, so no slot of a GPU has them.
CREATE TABLE slice_allocation (
  attempt  uuid   NOT NULL REFERENCES attempt ON DELETE CASCADE,
  role     text   COLLATE "C" NOT NULL,
  idx      int    NOT NULL,
  node     uuid   NOT NULL,
  milli    int    NOT NULL CHECK (milli > 0),
  since_ms bigint NOT NULL,
  pool     text   COLLATE "C",
  PRIMARY KEY (attempt, role, idx)
);
ALTER TABLE slice_allocation ENABLE ROW LEVEL SECURITY;
ALTER TABLE slice_allocation FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON slice_allocation TO fairlead_app
  USING (EXISTS (SELECT FROM attempt a WHERE a.id = slice_allocation.attempt));
CREATE POLICY all_tenants ON slice_allocation TO fairlead_loops USING (true);
GRANT SELECT ON slice_allocation TO fairlead_app;
GRANT SELECT, INSERT, DELETE ON slice_allocation TO fairlead_loops;
-- The runbook of a refused clock corrects the start of slices that a fast clock stored.
GRANT UPDATE (since_ms) ON slice_allocation TO fairlead_loops;

-- All GPU allocations. The GPU -1 is the slices of the node instead of a GPU.
CREATE VIEW gpu_held WITH (security_invoker = true) AS
SELECT a.attempt, a.role, a.idx, a.node, a.gpu, a.milli, a.slices, a.since_ms, a.pool
FROM allocation a
UNION ALL
SELECT s.attempt, s.role, s.idx, s.node, -1, s.milli, 0, s.since_ms, s.pool
FROM slice_allocation s;
GRANT SELECT ON gpu_held TO fairlead_app, fairlead_loops;

-- Licences that attempts hold. The transaction that releases the allocations of an attempt deletes the row.
CREATE TABLE licence_hold (
  attempt uuid NOT NULL,
  licence text COLLATE "C" NOT NULL,
  count   int  NOT NULL CHECK (count > 0),
  kind    text COLLATE "C" NOT NULL DEFAULT 'LICENCE' CHECK (kind = 'LICENCE'),
  PRIMARY KEY (attempt, licence),
  CONSTRAINT licence_hold_document FOREIGN KEY (kind, licence) REFERENCES config_document
);
CREATE INDEX licence_hold_of ON licence_hold (licence, kind) INCLUDE (count);
GRANT SELECT, INSERT, UPDATE, DELETE ON licence_hold TO fairlead_loops;

-- Labels of a job when an attempt took GPUs. Use is counted by them, also when the job is in the archive. They are deleted
-- with the intervals of use. No foreign key to the attempt, as in budget_charge.
CREATE TABLE attempt_label (
  attempt uuid  PRIMARY KEY,
  tenant  uuid  NOT NULL,
  labels  jsonb NOT NULL
);
ALTER TABLE attempt_label ENABLE ROW LEVEL SECURITY;
ALTER TABLE attempt_label FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON attempt_label TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON attempt_label TO fairlead_loops USING (true);
GRANT SELECT ON attempt_label TO fairlead_app;
GRANT SELECT, INSERT, DELETE ON attempt_label TO fairlead_loops;

-- GPU efficiency of attempts. No foreign key to the attempt: rows remain when it moves to the archive, and are deleted with
-- the job or a year after the first sample. No index has a column that changes with each sample.
CREATE TABLE attempt_efficiency (
  attempt           uuid             PRIMARY KEY,
  job               uuid             NOT NULL,
  tenant            uuid             NOT NULL,
  samples           bigint           NOT NULL,
  mean              double precision NOT NULL,
  last              double precision NOT NULL,
  memory_peak_mib   bigint,
  joules            double precision,
  idle_since        timestamptz,
  since             timestamptz      NOT NULL,
  sampled_at        timestamptz      NOT NULL,
  -- Time of the warning to the owner, and the reclaimed capacity if the attempt was stopped.
  warned_at         timestamptz,
  reclaimed         jsonb,
  -- Idle time in milliseconds after which the warning announced a suspension, null if it announced none.
  warned_reclaim_ms bigint
) WITH (fillfactor = 70);
CREATE INDEX attempt_efficiency_since ON attempt_efficiency (since);
CREATE INDEX attempt_efficiency_job ON attempt_efficiency (job);
CREATE INDEX attempt_efficiency_idle ON attempt_efficiency (tenant, idle_since) WHERE idle_since IS NOT NULL;
CREATE INDEX attempt_efficiency_reclaimed ON attempt_efficiency (tenant) WHERE reclaimed IS NOT NULL;
ALTER TABLE attempt_efficiency ENABLE ROW LEVEL SECURITY;
ALTER TABLE attempt_efficiency FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON attempt_efficiency TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON attempt_efficiency TO fairlead_loops USING (true);
GRANT SELECT, DELETE ON attempt_efficiency TO fairlead_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON attempt_efficiency TO fairlead_loops;

-- Running attempts that report progress. Separate from the row of the attempt because they report every few seconds. A call
-- changes no indexed column. The row is deleted with the attempt, or at the first check after its end.
CREATE TABLE attempt_progress (
  attempt     uuid        PRIMARY KEY REFERENCES attempt ON DELETE CASCADE,
  job         uuid        NOT NULL,
  tenant      uuid        NOT NULL,
  cluster     uuid        NOT NULL,
  timeout_ms  bigint      NOT NULL CHECK (timeout_ms > 0),
  counts_from timestamptz NOT NULL,
  called_at   timestamptz,
  look_at     timestamptz NOT NULL,
  -- The last report in the attempt's own numbers: step, total and metrics, and the step from which its pace counts.
  report      jsonb
) WITH (fillfactor = 50);
CREATE INDEX attempt_progress_due ON attempt_progress (look_at);
ALTER TABLE attempt_progress ENABLE ROW LEVEL SECURITY;
ALTER TABLE attempt_progress FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON attempt_progress TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON attempt_progress TO fairlead_loops USING (true);
GRANT SELECT, UPDATE ON attempt_progress TO fairlead_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON attempt_progress TO fairlead_loops;
