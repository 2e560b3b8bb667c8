SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Stored output of each member, and the position up to which it was read. No foreign key to the attempt: it may be in the
-- archive. A row outlives its chunks for a while, to show why they are gone.
CREATE TABLE log_member (
  attempt     uuid        NOT NULL,
  role        text        COLLATE "C" NOT NULL,
  idx         int         NOT NULL,
  incarnation int         NOT NULL,
  tenant      uuid        NOT NULL REFERENCES tenant,
  project     uuid        NOT NULL,
  job         uuid        NOT NULL,
  second_at   timestamptz,
  first_at    text,
  taken       bigint      NOT NULL,
  last_at     text,
  sequence    int         NOT NULL,
  bytes       bigint      NOT NULL,
  stored      bigint      NOT NULL,
  gaps        int         NOT NULL,
  ended_at    timestamptz,
  removed     text,
  PRIMARY KEY (attempt, role, idx, incarnation)
);
CREATE INDEX log_member_of_job ON log_member (job);
CREATE INDEX log_member_open ON log_member (attempt) WHERE ended_at IS NULL;
CREATE INDEX log_member_of_project ON log_member (project, ended_at) WHERE ended_at IS NOT NULL AND removed IS NULL;
-- A sweep reads only logs that it removes.
CREATE INDEX log_member_kept ON log_member (ended_at, attempt, role, idx, incarnation)
  WHERE ended_at IS NOT NULL AND removed IS NULL;
CREATE INDEX log_member_removed ON log_member (ended_at) WHERE removed IS NOT NULL;
CREATE INDEX log_member_of_tenant ON log_member (tenant);
ALTER TABLE log_member ENABLE ROW LEVEL SECURITY;
ALTER TABLE log_member FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON log_member TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON log_member TO fairlead_loops USING (true);
GRANT SELECT ON log_member TO fairlead_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON log_member TO fairlead_loops;
-- The deletion of a job makes its logs old.
GRANT UPDATE (ended_at) ON log_member TO fairlead_app;

-- Lines that are one object in the log store, or a gap between them.
CREATE TABLE log_chunk (
  attempt     uuid        NOT NULL,
  role        text        COLLATE "C" NOT NULL,
  idx         int         NOT NULL,
  incarnation int         NOT NULL,
  sequence    int         NOT NULL,
  mark        bigint      NOT NULL,
  tenant      uuid        NOT NULL,
  from_at     timestamptz NOT NULL,
  to_at       timestamptz NOT NULL,
  lines       bigint      NOT NULL,
  bytes       bigint      NOT NULL,
  stored      bigint      NOT NULL,
  gap         text,
  PRIMARY KEY (attempt, role, idx, incarnation, sequence)
);
ALTER TABLE log_chunk ENABLE ROW LEVEL SECURITY;
ALTER TABLE log_chunk FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON log_chunk TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON log_chunk TO fairlead_loops USING (true);
GRANT SELECT ON log_chunk TO fairlead_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON log_chunk TO fairlead_loops;

-- Bytes in the log store by project, changed with the chunks.
CREATE TABLE log_use (
  project uuid   PRIMARY KEY,
  tenant  uuid   NOT NULL REFERENCES tenant,
  stored  bigint NOT NULL
);
CREATE INDEX log_use_largest ON log_use (stored);
CREATE INDEX log_use_of_tenant ON log_use (tenant);
ALTER TABLE log_use ENABLE ROW LEVEL SECURITY;
ALTER TABLE log_use FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON log_use TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON log_use TO fairlead_loops USING (true);
GRANT SELECT ON log_use TO fairlead_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON log_use TO fairlead_loops;

-- Archives of code in the log store. A row exists before the first piece of its archive and after the last.
CREATE TABLE workdir (
  id         uuid        PRIMARY KEY,
  tenant     uuid        NOT NULL REFERENCES tenant,
  project    uuid        NOT NULL,
  digest     text        COLLATE "C" NOT NULL CHECK (digest ~ '^sha256:[0-9a-f]{64}$'),
  bytes      bigint      NOT NULL CHECK (bytes > 0),
  state      text        COLLATE "C" NOT NULL CHECK (state IN ('UPLOADING', 'STORED', 'DELETING')),
  created_at timestamptz NOT NULL,
  used_at    timestamptz NOT NULL
);
CREATE INDEX workdir_of_project ON workdir (tenant, project, digest);
CREATE UNIQUE INDEX workdir_stored ON workdir (tenant, project, digest) WHERE state = 'STORED';
ALTER TABLE workdir ENABLE ROW LEVEL SECURITY;
ALTER TABLE workdir FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON workdir TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON workdir TO fairlead_loops USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON workdir TO fairlead_app, fairlead_loops;

-- The job may be in the archive, so it has no foreign key.
CREATE TABLE workdir_claim (
  job     uuid PRIMARY KEY,
  workdir uuid NOT NULL REFERENCES workdir,
  tenant  uuid NOT NULL REFERENCES tenant
);
CREATE INDEX workdir_claim_of_workdir ON workdir_claim (workdir);
CREATE INDEX workdir_claim_of_tenant ON workdir_claim (tenant);
ALTER TABLE workdir_claim ENABLE ROW LEVEL SECURITY;
ALTER TABLE workdir_claim FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON workdir_claim TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON workdir_claim TO fairlead_loops USING (true);
GRANT SELECT, INSERT, DELETE ON workdir_claim TO fairlead_app, fairlead_loops;
