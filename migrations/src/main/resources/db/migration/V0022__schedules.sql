SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Progress of each schedule. Its times and its job are its document.
CREATE TABLE schedule (
  id           uuid        PRIMARY KEY,
  kind         text        COLLATE "C" NOT NULL DEFAULT 'SCHEDULE' CHECK (kind = 'SCHEDULE'),
  document     text        COLLATE "C" NOT NULL,
  tenant       uuid        NOT NULL REFERENCES tenant,
  suspended    boolean     NOT NULL,
  decided      timestamptz NOT NULL,
  next_instant timestamptz,
  next_at      timestamptz,
  failures     int         NOT NULL,
  decisions    bigint      NOT NULL,
  UNIQUE (kind, document),
  CHECK (next_instant > decided),
  FOREIGN KEY (kind, document) REFERENCES config_document ON DELETE CASCADE
);
CREATE INDEX schedule_due ON schedule (next_at, id) WHERE NOT suspended;
CREATE INDEX schedule_of_tenant ON schedule (tenant);
ALTER TABLE schedule ENABLE ROW LEVEL SECURITY;
ALTER TABLE schedule FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON schedule TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON schedule TO fairlead_loops USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON schedule TO fairlead_app, fairlead_loops;

-- The primary key guarantees that an instant has one decision, and so one job.
CREATE TABLE schedule_run (
  schedule uuid        NOT NULL REFERENCES schedule ON DELETE CASCADE,
  instant  timestamptz NOT NULL,
  tenant   uuid        NOT NULL REFERENCES tenant,
  outcome  text        NOT NULL,
  job      uuid,
  owner    text        NOT NULL,
  detail   text        NOT NULL,
  instants int         NOT NULL CHECK (instants > 0),
  at       timestamptz NOT NULL,
  PRIMARY KEY (schedule, instant),
  CHECK ((outcome = 'SUBMITTED') = (job IS NOT NULL))
);
CREATE INDEX schedule_run_of_tenant ON schedule_run (tenant);
ALTER TABLE schedule_run ENABLE ROW LEVEL SECURITY;
ALTER TABLE schedule_run FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON schedule_run TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON schedule_run TO fairlead_loops USING (true);
GRANT SELECT, INSERT, DELETE ON schedule_run TO fairlead_app, fairlead_loops;
