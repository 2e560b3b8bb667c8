SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- What a tenant keeps although it may go: its jobs, those of a project, or one job, and what was decided of them from one time
-- to another. No reference to the job: it outlives the move to the archive.
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
ALTER TABLE legal_hold ENABLE ROW LEVEL SECURITY;
ALTER TABLE legal_hold FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON legal_hold TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON legal_hold TO fairlead_loops USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON legal_hold TO fairlead_app, fairlead_loops;

-- Whether a legal hold keeps what was decided of a job at a time.
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
