SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Attempts that run and are to say that they get on. Apart from their rows, since they say it every few seconds: a call changes
-- no column of an index. A row goes when its attempt ends, at the next look at it, or with the attempt.
CREATE TABLE attempt_progress (
  attempt     uuid        PRIMARY KEY REFERENCES attempt ON DELETE CASCADE,
  job         uuid        NOT NULL,
  tenant      uuid        NOT NULL,
  cluster     uuid        NOT NULL,
  timeout_ms  bigint      NOT NULL CHECK (timeout_ms > 0),
  counts_from timestamptz NOT NULL,
  called_at   timestamptz,
  look_at     timestamptz NOT NULL
) WITH (fillfactor = 50);
CREATE INDEX attempt_progress_due ON attempt_progress (look_at);

ALTER TABLE attempt_progress ENABLE ROW LEVEL SECURITY;
ALTER TABLE attempt_progress FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON attempt_progress TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON attempt_progress TO fairlead_loops USING (true);
GRANT SELECT, UPDATE ON attempt_progress TO fairlead_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON attempt_progress TO fairlead_loops;
