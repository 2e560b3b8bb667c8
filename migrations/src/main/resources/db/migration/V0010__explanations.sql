SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Reasons why jobs wait: a read model by class of equal jobs.
CREATE TABLE explanation (
  class_key   text        COLLATE "C" PRIMARY KEY,
  computed_at timestamptz NOT NULL,
  body        jsonb       NOT NULL
);

CREATE TABLE job_explanation (
  job       uuid        PRIMARY KEY REFERENCES job ON DELETE CASCADE,
  tenant    uuid        NOT NULL,
  class_key text        COLLATE "C" NOT NULL,
  since     timestamptz NOT NULL,
  -- Likely start of the job, learned from run times and waits, null while too little is known.
  expected  jsonb
) WITH (fillfactor = 80);
CREATE INDEX job_explanation_class ON job_explanation (class_key, tenant);
ALTER TABLE job_explanation ENABLE ROW LEVEL SECURITY;
ALTER TABLE job_explanation FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON job_explanation TO fairlead_app USING (tenant = current_setting('fairlead.tenant')::uuid);
CREATE POLICY all_tenants ON job_explanation TO fairlead_loops USING (true);
GRANT SELECT ON job_explanation TO fairlead_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON job_explanation TO fairlead_loops;

-- Equal jobs of several tenants may share a class. A tenant sees the classes of its own jobs.
ALTER TABLE explanation ENABLE ROW LEVEL SECURITY;
ALTER TABLE explanation FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON explanation TO fairlead_app
  USING (EXISTS (SELECT FROM job_explanation m WHERE m.class_key = explanation.class_key));
CREATE POLICY all_tenants ON explanation TO fairlead_loops USING (true);
GRANT SELECT ON explanation TO fairlead_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON explanation TO fairlead_loops;

-- Decisions about each job with their explanations as deflated documents. No foreign key to the job: rows remain when the job
-- moves to the archive, and are deleted with it or after a year. The oldest rows of busy jobs are deleted constantly, so
-- vacuum runs more often than by default.
CREATE TABLE job_decision (
  job          uuid                   NOT NULL,
  id           bigint                 GENERATED ALWAYS AS IDENTITY,
  tenant       uuid                   NOT NULL,
  at           timestamptz            NOT NULL,
  kind         text                   COLLATE "C" NOT NULL,
  reason       text                   COLLATE "C",
  body         bytea STORAGE EXTERNAL NOT NULL,
  -- Likely start of the job as it was shown during the wait that the decision is about.
  expected_p50 timestamptz,
  expected_p90 timestamptz,
  PRIMARY KEY (job, id),
  CHECK (kind IN ('PLACED', 'WAITED', 'EVICTED', 'MOVED', 'UNREACHABLE', 'REACHABLE'))
) WITH (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 10000);
CREATE INDEX job_decision_at ON job_decision (at);
-- Pages of the decisions of a tenant by time.
CREATE INDEX job_decision_of_tenant ON job_decision (tenant, at, job, id);
ALTER TABLE job_decision ENABLE ROW LEVEL SECURITY;
ALTER TABLE job_decision FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON job_decision TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON job_decision TO fairlead_loops USING (true);
GRANT SELECT, DELETE ON job_decision TO fairlead_app;
GRANT SELECT, INSERT, DELETE ON job_decision TO fairlead_loops;

-- Jobs and decisions of a tenant that are protected from deletion: all, of a project, or of one job, in a period. No foreign
-- key to the job: the hold remains when the job moves to the archive.
CREATE TABLE legal_hold (
  tenant     uuid        NOT NULL REFERENCES tenant,
  name       text        COLLATE "C" NOT NULL,
  reason     text        NOT NULL,
  project    uuid        REFERENCES project,
  job        uuid,
  from_at    timestamptz,
  to_at      timestamptz,
  changed_at timestamptz NOT NULL,
  changed_by text        NOT NULL,
  PRIMARY KEY (tenant, name),
  CHECK (project IS NULL OR job IS NULL),
  CHECK (from_at < to_at)
);
CREATE INDEX legal_hold_project ON legal_hold (project) WHERE project IS NOT NULL;
ALTER TABLE legal_hold ENABLE ROW LEVEL SECURITY;
ALTER TABLE legal_hold FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON legal_hold TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON legal_hold TO fairlead_loops USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON legal_hold TO fairlead_app, fairlead_loops;

-- Whether a legal hold protects a decision about a job.
CREATE FUNCTION fairlead_is_held(of_tenant uuid, of_job uuid, decided timestamptz) RETURNS boolean
  LANGUAGE sql STABLE
  RETURN EXISTS (
    SELECT FROM legal_hold h
    WHERE h.tenant = of_tenant
      AND (h.from_at IS NULL OR decided >= h.from_at)
      AND (h.to_at IS NULL OR decided < h.to_at)
      AND (h.job = of_job
        OR h.job IS NULL AND (h.project IS NULL
          OR EXISTS (SELECT FROM job j WHERE j.id = of_job AND j.project = h.project)
          OR EXISTS (SELECT FROM job_archive a WHERE a.id = of_job AND a.project = h.project))));

-- Starts and preemptions of jobs by queue and priority, flavor, and day in UTC. Starts have an empty evicted_by. The
-- transaction of a plan writes the counts, and rows are deleted after two months.
CREATE TABLE preemption_count (
  queue      uuid   NOT NULL,
  priority   int    NOT NULL,
  day        date   NOT NULL,
  model      text   COLLATE "C" NOT NULL,
  capacity   text   COLLATE "C" NOT NULL,
  evicted_by text   COLLATE "C" NOT NULL,
  tenant     uuid   NOT NULL,
  times      bigint NOT NULL CHECK (times > 0),
  PRIMARY KEY (queue, priority, day, model, capacity, evicted_by)
) WITH (fillfactor = 80);
CREATE INDEX preemption_count_day ON preemption_count (day);
ALTER TABLE preemption_count ENABLE ROW LEVEL SECURITY;
ALTER TABLE preemption_count FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON preemption_count TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON preemption_count TO fairlead_loops USING (true);
GRANT SELECT ON preemption_count TO fairlead_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON preemption_count TO fairlead_loops;
