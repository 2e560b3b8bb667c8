SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- What is kept of the output of each member, and up to where it was taken. No reference to the attempt: it may be in the
-- archive. A row outlives its chunks for a while, so that it can be said why they are gone.
CREATE TABLE log_member (
  attempt       uuid   NOT NULL,
  role          text   COLLATE "C" NOT NULL,
  idx           int    NOT NULL,
  incarnation   int    NOT NULL,
  tenant        uuid   NOT NULL REFERENCES tenant,
  project       uuid   NOT NULL,
  job           uuid   NOT NULL,
  second_at     timestamptz,
  first_at      text,
  taken         bigint NOT NULL,
  last_at       text,
  sequence      int    NOT NULL,
  bytes         bigint NOT NULL,
  stored        bigint NOT NULL,
  gaps          int    NOT NULL,
  ended_at      timestamptz,
  removed       text,
  PRIMARY KEY (attempt, role, idx, incarnation)
);
CREATE INDEX log_member_of_job ON log_member (job);
CREATE INDEX log_member_ended ON log_member (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX log_member_open ON log_member (attempt) WHERE ended_at IS NULL;
CREATE INDEX log_member_of_project ON log_member (project, ended_at) WHERE ended_at IS NOT NULL AND removed IS NULL;

-- Lines that lie in the log store as one object, or a gap between them.
CREATE TABLE log_chunk (
  attempt       uuid   NOT NULL,
  role          text   COLLATE "C" NOT NULL,
  idx           int    NOT NULL,
  incarnation   int    NOT NULL,
  sequence      int    NOT NULL,
  mark          bigint NOT NULL,
  tenant        uuid   NOT NULL,
  from_at       timestamptz NOT NULL,
  to_at         timestamptz NOT NULL,
  lines         bigint NOT NULL,
  bytes         bigint NOT NULL,
  stored        bigint NOT NULL,
  gap           text,
  PRIMARY KEY (attempt, role, idx, incarnation, sequence)
);

-- Bytes in the log store by project, changed with the chunks.
CREATE TABLE log_use (
  project uuid   PRIMARY KEY,
  tenant  uuid   NOT NULL REFERENCES tenant,
  stored  bigint NOT NULL
);
CREATE INDEX log_use_largest ON log_use (stored);

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['log_member', 'log_chunk', 'log_use'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY one_tenant ON %I TO fairlead_app
      USING (tenant = nullif(current_setting(''fairlead.tenant'', true), '''')::uuid)', name);
    EXECUTE format('CREATE POLICY all_tenants ON %I TO fairlead_loops USING (true)', name);
    EXECUTE format('GRANT SELECT ON %I TO fairlead_app', name);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO fairlead_loops', name);
  END LOOP;
END
$$;
-- Who deletes a job makes its logs old.
GRANT UPDATE (ended_at) ON log_member TO fairlead_app;
