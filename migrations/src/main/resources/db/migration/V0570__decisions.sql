SET LOCAL ROLE fairlead_owner;

-- What was decided of each job, as it was explained then: a deflated document. No reference to the job: rows outlive its
-- move to the archive and go when it is deleted, or after a year.
CREATE TABLE job_decision (
  job    uuid        NOT NULL,
  id     bigint      GENERATED ALWAYS AS IDENTITY,
  tenant uuid        NOT NULL,
  at     timestamptz NOT NULL,
  kind   text        COLLATE "C" NOT NULL CHECK (kind IN ('PLACED', 'WAITED', 'EVICTED', 'MOVED')),
  reason text        COLLATE "C",
  body   bytea       NOT NULL,
  PRIMARY KEY (job, id)
);
ALTER TABLE job_decision ALTER COLUMN body SET STORAGE EXTERNAL;
CREATE INDEX job_decision_at ON job_decision (at);
ALTER TABLE job_decision ENABLE ROW LEVEL SECURITY;
ALTER TABLE job_decision FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON job_decision TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON job_decision TO fairlead_loops USING (true);
GRANT SELECT, DELETE ON job_decision TO fairlead_app, fairlead_loops;
GRANT INSERT ON job_decision TO fairlead_loops;
