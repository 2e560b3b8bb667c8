SET LOCAL ROLE fairlead_owner;

-- What a project keeps for its jobs. The values are encrypted before they get here: content under a data key, that key
-- under the key of the service named by key_id. Of the values the rest shows the size alone.
CREATE TABLE project_secret (
  id         uuid        PRIMARY KEY,
  tenant     uuid        NOT NULL REFERENCES tenant,
  project    uuid        NOT NULL REFERENCES project ON DELETE CASCADE,
  name       text        COLLATE "C" NOT NULL,
  sizes      jsonb       NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  updated_by text        NOT NULL,
  key_id     text        COLLATE "C" NOT NULL,
  data_key   text        NOT NULL,
  content    text        NOT NULL,
  version    bigint      NOT NULL,
  UNIQUE (project, name)
);
CREATE INDEX project_secret_key ON project_secret (key_id, id);
CREATE INDEX project_secret_tenant ON project_secret (tenant);

ALTER TABLE project_secret ENABLE ROW LEVEL SECURITY;
ALTER TABLE project_secret FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON project_secret TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON project_secret TO fairlead_loops USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON project_secret TO fairlead_app, fairlead_loops;
