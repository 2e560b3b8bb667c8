SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Storage that a project asks for; no cluster has it yet.
CREATE TABLE volume (
  id            uuid        PRIMARY KEY,
  tenant        uuid        NOT NULL REFERENCES tenant,
  project       uuid        NOT NULL REFERENCES project ON DELETE CASCADE,
  name          text        COLLATE "C" NOT NULL,
  size_mib      bigint      NOT NULL CHECK (size_mib > 0),
  storage_class text,
  access        text        NOT NULL,
  created_at    timestamptz NOT NULL,
  updated_at    timestamptz NOT NULL,
  updated_by    text        NOT NULL,
  version       bigint      NOT NULL,
  UNIQUE (project, name)
);
CREATE INDEX volume_tenant ON volume (tenant);

ALTER TABLE volume ENABLE ROW LEVEL SECURITY;
ALTER TABLE volume FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON volume TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON volume TO fairlead_loops USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON volume TO fairlead_app, fairlead_loops;
