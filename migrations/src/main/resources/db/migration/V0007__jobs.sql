SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Active jobs, and those that ended in the last days. The version of a job also guards its elements and attempts.
CREATE TABLE job (
  id           uuid        PRIMARY KEY,
  tenant       uuid        NOT NULL,
  project      uuid        NOT NULL REFERENCES project,
  queue        uuid        NOT NULL REFERENCES quota_node,
  name         text        COLLATE "C" NOT NULL,
  submitted_by text        NOT NULL,
  priority     int         NOT NULL,
  gpu_milli    bigint      NOT NULL,
  created_at   timestamptz NOT NULL,
  state        text        NOT NULL,
  active       boolean     NOT NULL GENERATED ALWAYS AS (state NOT IN ('SUCCEEDED', 'FAILED', 'CANCELLED')) STORED,
  changed_at   timestamptz NOT NULL,
  started_at   timestamptz,
  ended_at     timestamptz,
  attempts     int         NOT NULL,
  failures     int         NOT NULL,
  retry_at     timestamptz,
  failure      jsonb,
  progress     jsonb,
  spec         jsonb       NOT NULL,
  labels       jsonb       NOT NULL,
  version      bigint      NOT NULL,
  -- Priority in ascending order, so that a page of the queue order starts after one key (queue_rank, created_at, id). An
  -- expression would not do: under row-level security PostgreSQL evaluates only leakproof functions before the policy.
  queue_rank   int         NOT NULL GENERATED ALWAYS AS (-priority) STORED,
  -- Version of the job at the last write of its spec. A reader that has this version need not read the spec again.
  spec_version bigint      NOT NULL DEFAULT 0,
  -- Time of the last patch of the spec, after which the supervisor compares the running attempts with it.
  patched_at   timestamptz,
  -- Consecutive attempts that incidents ended. The delay of the next attempt grows with this number, and the job fails at a
  -- limit.
  faults       int         NOT NULL DEFAULT 0,
  -- Requested admission checks with their states, null for none. They end with the job, so the archive has none.
  checks       jsonb,
  -- Most of a row is the spec, which each update of the state would copy. PostgreSQL stores a column out of line only in rows
  -- above 2 kB, and few rows are that long. The filler makes each new row that long. It compresses to 30 bytes and nothing
  -- reads it. A row without its spec is below toast_tuple_target, so only the spec moves out.
  filler       text        COLLATE "C" NOT NULL DEFAULT repeat(' ', 1000),
  -- Whether the spec may name dependencies or volumes. Searches in the specs of many jobs read only these rows, because a
  -- spec is out of line. A patch changes neither.
  depends      boolean     NOT NULL DEFAULT true,
  mounts       boolean     NOT NULL DEFAULT true,
  CHECK (
    state IN ('QUEUED', 'ADMITTED', 'STARTING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED', 'SUSPENDED',
    'CANCELLING'))
) WITH (fillfactor = 80, autovacuum_vacuum_cost_limit = 2000, toast_tuple_target = 512);
CREATE UNIQUE INDEX job_active_name ON job (project, name) WHERE active;
CREATE INDEX job_active ON job (id) WHERE active;
-- Pending jobs in the order of their queue.
CREATE INDEX job_waiting ON job (queue, priority DESC, created_at, id) WHERE state = 'QUEUED';
CREATE INDEX job_newest ON job (tenant, created_at DESC, id DESC);
CREATE INDEX job_ended ON job (ended_at) WHERE NOT active;
CREATE INDEX job_stopping ON job (id) WHERE state IN ('CANCELLING', 'SUSPENDED');
-- Lists by time for each state, so that the failed jobs among many are found without a scan. A list of all states merges one
-- list for each state.
CREATE INDEX job_newest_of_state ON job (tenant, state, created_at DESC, id DESC);
-- Counts of active jobs read only this index. All columns are keys and none is included, because equal keys share one entry.
-- Ended jobs are counted in job_tally.
CREATE INDEX job_counts_active ON job (tenant, state, queue, project, submitted_by, gpu_milli) WHERE active;
-- Lists by priority and by name for each state.
CREATE INDEX job_of_state_by_priority ON job (tenant, state, queue_rank, created_at, id);
CREATE INDEX job_of_state_by_name ON job (tenant, state, name, created_at, id);
CREATE INDEX job_newest_of_user_and_state ON job (tenant, submitted_by, state, created_at DESC, id DESC);
CREATE INDEX job_newest_of_queue_and_state ON job (queue, state, created_at DESC, id DESC);
CREATE INDEX job_newest_of_project_and_state ON job (project, state, created_at DESC, id DESC);
CREATE INDEX job_patched ON job (patched_at) WHERE patched_at IS NOT NULL;
-- A submit looks for all jobs of its project with its name. Active jobs have job_active_name.
CREATE INDEX job_ended_of_name ON job (project, name, created_at DESC) WHERE NOT active;
-- A placement counts what its user holds, a submit counts what is pending. An array is recognised by its spec and not by its
-- progress, because progress would change this index with each element.
CREATE INDEX job_tried_of_user ON job (queue, submitted_by) WHERE active AND (attempts > 0 OR spec ->> 'array' IS NOT NULL);
CREATE INDEX job_queued_of_user ON job (queue, submitted_by) WHERE state = 'QUEUED';
ALTER TABLE job ENABLE ROW LEVEL SECURITY;
ALTER TABLE job FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON job TO fairlead_app USING (tenant = current_setting('fairlead.tenant')::uuid);
CREATE POLICY all_tenants ON job TO fairlead_loops USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON job TO fairlead_app, fairlead_loops;

-- An element of an array gets its row at its first start.
CREATE TABLE job_element (
  job        uuid        NOT NULL REFERENCES job ON DELETE CASCADE,
  idx        int         NOT NULL CHECK (idx >= 0),
  tenant     uuid        NOT NULL,
  state      text        NOT NULL,
  changed_at timestamptz NOT NULL,
  started_at timestamptz,
  ended_at   timestamptz,
  attempts   int         NOT NULL,
  failures   int         NOT NULL,
  retry_at   timestamptz,
  failure    jsonb,
  faults     int         NOT NULL DEFAULT 0,
  PRIMARY KEY (job, idx)
) WITH (fillfactor = 80);
CREATE INDEX job_element_waiting ON job_element (job, idx) WHERE state = 'QUEUED';
ALTER TABLE job_element ENABLE ROW LEVEL SECURITY;
ALTER TABLE job_element FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON job_element TO fairlead_app USING (tenant = current_setting('fairlead.tenant')::uuid);
CREATE POLICY all_tenants ON job_element TO fairlead_loops USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON job_element TO fairlead_app, fairlead_loops;

-- One row for each label: jsonb operators are not leakproof, so row-level security would prevent the use of an index on
-- job.labels. The row is inserted with the job and remains when the job moves to the archive.
CREATE TABLE job_label (
  tenant  uuid NOT NULL,
  job     uuid NOT NULL,
  label   text COLLATE "C" NOT NULL,
  -- Project of a job with the label pipeline, null for other labels.
  project uuid,
  PRIMARY KEY (job, label)
);
CREATE INDEX job_label_jobs ON job_label (tenant, label, job);
-- Few jobs have this label, so the index is small and other jobs do not write to it.
CREATE INDEX job_label_pipelines ON job_label (tenant, project, label, job)
WHERE label >= 'pipeline=' AND label < 'pipeline>';
ALTER TABLE job_label ENABLE ROW LEVEL SECURITY;
ALTER TABLE job_label FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON job_label TO fairlead_app USING (tenant = current_setting('fairlead.tenant')::uuid);
CREATE POLICY all_tenants ON job_label TO fairlead_loops USING (true);
GRANT SELECT, INSERT, DELETE ON job_label TO fairlead_app, fairlead_loops;

-- Counts of ended jobs. The end of a job inserts a row in its own transaction, so ends do not wait for each other. Rows are
-- merged from time to time. The row of a deleted job is negative.
CREATE TABLE job_tally (
  tenant       uuid   NOT NULL,
  project      uuid   NOT NULL,
  queue        uuid   NOT NULL,
  state        text   NOT NULL,
  submitted_by text   NOT NULL,
  jobs         bigint NOT NULL,
  gpu_milli    bigint NOT NULL
);
CREATE INDEX job_tally_groups ON job_tally (tenant, state, queue, project, submitted_by);
ALTER TABLE job_tally ENABLE ROW LEVEL SECURITY;
ALTER TABLE job_tally FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON job_tally TO fairlead_app USING (tenant = current_setting('fairlead.tenant')::uuid);
CREATE POLICY all_tenants ON job_tally TO fairlead_loops USING (true);
GRANT SELECT, INSERT ON job_tally TO fairlead_app;
GRANT SELECT, INSERT, DELETE ON job_tally TO fairlead_loops;

-- Jobs that ended long ago, by month of their id. Elements, attempts and members are JSON copies of their rows.
CREATE TABLE job_archive (
  id           uuid        NOT NULL,
  tenant       uuid        NOT NULL,
  project      uuid        NOT NULL,
  queue        uuid        NOT NULL,
  name         text        COLLATE "C" NOT NULL,
  submitted_by text        NOT NULL,
  priority     int         NOT NULL,
  gpu_milli    bigint      NOT NULL,
  created_at   timestamptz NOT NULL,
  state        text        NOT NULL,
  active       boolean     NOT NULL CHECK (NOT active),
  changed_at   timestamptz NOT NULL,
  started_at   timestamptz,
  ended_at     timestamptz,
  attempts     int         NOT NULL,
  failures     int         NOT NULL,
  retry_at     timestamptz,
  failure      jsonb,
  progress     jsonb,
  spec         jsonb       NOT NULL,
  labels       jsonb       NOT NULL,
  version      bigint      NOT NULL,
  element_rows jsonb       NOT NULL,
  attempt_rows jsonb       NOT NULL,
  member_rows  jsonb       NOT NULL,
  queue_rank   int         NOT NULL GENERATED ALWAYS AS (-priority) STORED,
  faults       int         NOT NULL DEFAULT 0,
  PRIMARY KEY (id)
) PARTITION BY RANGE (id);
CREATE TABLE job_archive_rest PARTITION OF job_archive DEFAULT;
CREATE INDEX job_archive_newest ON job_archive (tenant, created_at DESC, id DESC);
CREATE INDEX job_archive_newest_of_state ON job_archive (tenant, state, created_at DESC, id DESC);
CREATE INDEX job_archive_of_state_by_priority ON job_archive (tenant, state, queue_rank, created_at, id);
CREATE INDEX job_archive_of_state_by_name ON job_archive (tenant, state, name, created_at, id);
CREATE INDEX job_archive_newest_of_user_and_state ON job_archive (tenant, submitted_by, state, created_at DESC, id DESC);
CREATE INDEX job_archive_newest_of_queue_and_state ON job_archive (queue, state, created_at DESC, id DESC);
CREATE INDEX job_archive_newest_of_project_and_state ON job_archive (project, state, created_at DESC, id DESC);
CREATE INDEX job_archive_of_name ON job_archive (project, name, created_at DESC);
ALTER TABLE job_archive ENABLE ROW LEVEL SECURITY;
ALTER TABLE job_archive FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON job_archive TO fairlead_app USING (tenant = current_setting('fairlead.tenant')::uuid);
CREATE POLICY all_tenants ON job_archive TO fairlead_loops USING (true);
GRANT SELECT, DELETE ON job_archive TO fairlead_app;
GRANT SELECT, INSERT, DELETE ON job_archive TO fairlead_loops;

-- Parts of large jobs during and after their move to the archive. A statement moves a bounded number of rows, and no jsonb
-- value comes near its limit of 255 MiB. Rows that have not moved yet are still in their tables.
CREATE TABLE job_archive_part (
  job          uuid  NOT NULL,
  part         int   NOT NULL,
  tenant       uuid  NOT NULL,
  element_rows jsonb NOT NULL,
  attempt_rows jsonb NOT NULL,
  member_rows  jsonb NOT NULL,
  PRIMARY KEY (job, part)
);
ALTER TABLE job_archive_part ENABLE ROW LEVEL SECURITY;
ALTER TABLE job_archive_part FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON job_archive_part TO fairlead_app USING (tenant = current_setting('fairlead.tenant')::uuid);
CREATE POLICY all_tenants ON job_archive_part TO fairlead_loops USING (true);
GRANT SELECT, DELETE ON job_archive_part TO fairlead_app;
GRANT SELECT, INSERT, DELETE ON job_archive_part TO fairlead_loops;

-- All jobs in one keyset order. The reader's own grants and row-level security apply.
CREATE VIEW job_all WITH (security_invoker = true) AS
  SELECT id, tenant, project, queue, name, submitted_by, priority, gpu_milli, created_at, state, active, changed_at,
         started_at, ended_at, attempts, failures, retry_at, failure, progress, spec, labels, version, queue_rank, faults, checks
  FROM job
  UNION ALL
  SELECT id, tenant, project, queue, name, submitted_by, priority, gpu_milli, created_at, state, active, changed_at,
         started_at, ended_at, attempts, failures, retry_at, failure, progress, spec, labels, version, queue_rank, faults, NULL::jsonb
  FROM job_archive;
GRANT SELECT ON job_all TO fairlead_app, fairlead_loops;

-- Archived rows of a job, whole or in parts.
CREATE VIEW job_archive_rows WITH (security_invoker = true) AS
  SELECT id, element_rows, attempt_rows, member_rows FROM job_archive
  UNION ALL
  SELECT job, element_rows, attempt_rows, member_rows FROM job_archive_part;
GRANT SELECT ON job_archive_rows TO fairlead_app, fairlead_loops;
