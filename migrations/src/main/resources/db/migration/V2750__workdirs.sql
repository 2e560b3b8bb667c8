SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

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

-- The job may be in the archive, so it has no foreign key.
CREATE TABLE workdir_claim (
  job     uuid PRIMARY KEY,
  workdir uuid NOT NULL REFERENCES workdir,
  tenant  uuid NOT NULL REFERENCES tenant
);
CREATE INDEX workdir_claim_of_workdir ON workdir_claim (workdir);
CREATE INDEX workdir_claim_of_tenant ON workdir_claim (tenant);

ALTER TABLE workdir ENABLE ROW LEVEL SECURITY;
ALTER TABLE workdir FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON workdir TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON workdir TO fairlead_loops USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON workdir TO fairlead_app, fairlead_loops;

ALTER TABLE workdir_claim ENABLE ROW LEVEL SECURITY;
ALTER TABLE workdir_claim FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON workdir_claim TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON workdir_claim TO fairlead_loops USING (true);
GRANT SELECT, INSERT, DELETE ON workdir_claim TO fairlead_app, fairlead_loops;
