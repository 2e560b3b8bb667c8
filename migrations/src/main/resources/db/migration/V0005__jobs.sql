SET LOCAL ROLE fairlead_owner;

-- Jobs that live, and those that ended in the last days. Its version guards the job, its elements and its attempts.
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
  state        text        NOT NULL CHECK (state IN ('QUEUED', 'ADMITTED', 'STARTING', 'RUNNING', 'SUCCEEDED', 'FAILED',
                                                     'CANCELLED', 'SUSPENDED', 'CANCELLING')),
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
  version      bigint      NOT NULL
) WITH (fillfactor = 80);
CREATE UNIQUE INDEX job_active_name ON job (project, name) WHERE active;
CREATE INDEX job_active ON job (id) WHERE active;
CREATE INDEX job_waiting ON job (queue, priority DESC, created_at, id) WHERE state = 'QUEUED';
CREATE INDEX job_newest ON job (tenant, created_at DESC, id DESC);
CREATE INDEX job_newest_of_project ON job (project, created_at DESC, id DESC);
CREATE INDEX job_ended ON job (ended_at) WHERE NOT active;
CREATE INDEX job_queue ON job (queue);
CREATE INDEX job_stopping ON job (id) WHERE state IN ('CANCELLING', 'SUSPENDED');

-- An element of an array gets its row when it first starts.
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
  PRIMARY KEY (job, idx)
) WITH (fillfactor = 80);
CREATE INDEX job_element_waiting ON job_element (job, idx) WHERE state = 'QUEUED';

CREATE TABLE attempt (
  id            uuid        PRIMARY KEY,
  job           uuid        NOT NULL REFERENCES job ON DELETE CASCADE,
  element       int         NOT NULL,
  number        int         NOT NULL CHECK (number > 0),
  tenant        uuid        NOT NULL,
  state         text        NOT NULL CHECK (state IN ('PLANNED', 'LAUNCHING', 'PULLING', 'RUNNING', 'STOPPING',
                                                      'SUCCEEDED', 'FAILED', 'PREEMPTED', 'EVICTED', 'LOST', 'CANCELLED',
                                                      'UNKNOWN')),
  live          boolean     NOT NULL GENERATED ALWAYS AS
                            (state IN ('PLANNED', 'LAUNCHING', 'PULLING', 'RUNNING', 'STOPPING', 'UNKNOWN')) STORED,
  cluster       uuid        NOT NULL REFERENCES cluster,
  term          bigint      NOT NULL,
  created_at    timestamptz NOT NULL,
  started_at    timestamptz,
  ended_at      timestamptz,
  stop_cause    text,
  stop_deadline timestamptz,
  failure       jsonb,
  retired_at    timestamptz,
  UNIQUE (job, element, number)
) WITH (fillfactor = 80);
-- At most one live attempt of a job and element.
CREATE UNIQUE INDEX attempt_live ON attempt (job, element) WHERE live;
CREATE INDEX attempt_unretired ON attempt (cluster, id) WHERE retired_at IS NULL;
CREATE INDEX attempt_actionable ON attempt (cluster, id)
  WHERE retired_at IS NULL AND state NOT IN ('PULLING', 'RUNNING', 'UNKNOWN');

CREATE TABLE member (
  attempt     uuid        NOT NULL REFERENCES attempt ON DELETE CASCADE,
  role        text        COLLATE "C" NOT NULL,
  idx         int         NOT NULL,
  tenant      uuid        NOT NULL,
  ordinal     int         NOT NULL,
  incarnation int         NOT NULL,
  state       text        NOT NULL,
  node        uuid        NOT NULL,
  node_name   text        NOT NULL,
  model       text        NOT NULL,
  capacity    text        NOT NULL,
  cpu         bigint      NOT NULL,
  memory_mib  bigint      NOT NULL,
  gpu         bigint      NOT NULL,
  pods        bigint      NOT NULL,
  extended    jsonb       NOT NULL,
  gpus        jsonb       NOT NULL,
  uid         text,
  boot_id     text,
  exit_code   int,
  reason      text,
  started_at  timestamptz,
  ended_at    timestamptz,
  evidence    text,
  PRIMARY KEY (attempt, role, idx)
) WITH (fillfactor = 80);

-- GPU shares that live attempts hold: a row from PLANNED until the attempt is terminal.
CREATE TABLE allocation (
  attempt uuid NOT NULL REFERENCES attempt ON DELETE CASCADE,
  role    text COLLATE "C" NOT NULL,
  idx     int  NOT NULL,
  node    uuid NOT NULL,
  gpu     int  NOT NULL,
  milli   int  NOT NULL CHECK (milli BETWEEN 1 AND 1000),
  PRIMARY KEY (attempt, role, idx, gpu),
  FOREIGN KEY (node, gpu) REFERENCES gpu_slot
);
-- A whole device has one holder; sums of shares are kept by the check on gpu_slot.
CREATE UNIQUE INDEX allocation_whole ON allocation (node, gpu) WHERE milli = 1000;
CREATE INDEX allocation_slot ON allocation (node, gpu);

-- Jobs that ended long ago, by month of their id; elements, attempts and members as the rows they were.
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
  PRIMARY KEY (id)
) PARTITION BY RANGE (id);
CREATE TABLE job_archive_rest PARTITION OF job_archive DEFAULT;
CREATE INDEX job_archive_newest ON job_archive (tenant, created_at DESC, id DESC);
CREATE INDEX job_archive_newest_of_project ON job_archive (project, created_at DESC, id DESC);

-- All jobs in one keyset order. The reader's own rights and row security hold.
CREATE VIEW job_all WITH (security_invoker = true) AS
  SELECT id, tenant, project, queue, name, submitted_by, priority, gpu_milli, created_at, state, active, changed_at,
         started_at, ended_at, attempts, failures, retry_at, failure, progress, spec, labels, version
  FROM job
  UNION ALL
  SELECT id, tenant, project, queue, name, submitted_by, priority, gpu_milli, created_at, state, active, changed_at,
         started_at, ended_at, attempts, failures, retry_at, failure, progress, spec, labels, version
  FROM job_archive;
