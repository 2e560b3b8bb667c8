SET LOCAL ROLE fairlead_owner;

-- What people and programs send in place of signing in. Of the text only the hash is here. Making one removes those of
-- its principal that expired long ago.
CREATE TABLE api_token (
  id         uuid        PRIMARY KEY,
  tenant     uuid        NOT NULL REFERENCES tenant,
  principal  text        COLLATE "C" NOT NULL,
  name       text        NOT NULL,
  role       text        NOT NULL,
  project    uuid        REFERENCES project ON DELETE CASCADE,
  hash       text        COLLATE "C" NOT NULL UNIQUE,
  created_at timestamptz NOT NULL,
  created_by text        NOT NULL,
  expires_at timestamptz NOT NULL,
  revoked_at timestamptz,
  version    bigint      NOT NULL
);
CREATE INDEX api_token_newest ON api_token (tenant, principal, id DESC);
CREATE INDEX api_token_project ON api_token (project) WHERE project IS NOT NULL;

ALTER TABLE api_token ENABLE ROW LEVEL SECURITY;
ALTER TABLE api_token FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON api_token TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON api_token TO fairlead_loops USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON api_token TO fairlead_app, fairlead_loops;
