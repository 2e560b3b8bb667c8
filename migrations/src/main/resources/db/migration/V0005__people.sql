SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- One role of a principal in a tenant, and one in each of its projects.
CREATE TABLE membership (
  id         uuid        PRIMARY KEY,
  tenant     uuid        NOT NULL REFERENCES tenant,
  project    uuid        REFERENCES project ON DELETE CASCADE,
  principal  text        COLLATE "C" NOT NULL,
  role       text        NOT NULL,
  created_at timestamptz NOT NULL,
  created_by text        NOT NULL,
  version    bigint      NOT NULL,
  UNIQUE NULLS NOT DISTINCT (principal, tenant, project)
);
CREATE INDEX membership_place ON membership (tenant, project, principal);
CREATE INDEX membership_project ON membership (project) WHERE project IS NOT NULL;
ALTER TABLE membership ENABLE ROW LEVEL SECURITY;
ALTER TABLE membership FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON membership TO fairlead_app USING (tenant = current_setting('fairlead.tenant')::uuid);
CREATE POLICY all_tenants ON membership TO fairlead_loops USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON membership TO fairlead_app, fairlead_loops;

-- Credentials of people and programs. Only the hash of a token is stored.
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
  version    bigint      NOT NULL,
  -- A token that was created with another token ends with it.
  made_by    uuid        REFERENCES api_token ON DELETE CASCADE,
  -- A monitor reports for one cluster. No foreign key: the id of a removed cluster is never reused.
  cluster    uuid
);
CREATE INDEX api_token_newest ON api_token (tenant, principal, id DESC);
CREATE INDEX api_token_project ON api_token (project) WHERE project IS NOT NULL;
CREATE INDEX api_token_made_by ON api_token (made_by) WHERE made_by IS NOT NULL;
CREATE INDEX api_token_makers ON api_token (tenant, created_by, created_at);
CREATE INDEX api_token_ended ON api_token (least(expires_at, revoked_at));
ALTER TABLE api_token ENABLE ROW LEVEL SECURITY;
ALTER TABLE api_token FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON api_token TO fairlead_app USING (tenant = current_setting('fairlead.tenant')::uuid);
CREATE POLICY all_tenants ON api_token TO fairlead_loops USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON api_token TO fairlead_app, fairlead_loops;

-- The service encrypts the values before it stores them: content under a data key, and that key under the service key key_id.
-- Only the sizes of the values can be read.
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

CREATE TABLE idempotency_key (
  tenant       uuid        NOT NULL,
  principal    text        COLLATE "C" NOT NULL,
  operation    text        COLLATE "C" NOT NULL,
  key          text        COLLATE "C" NOT NULL,
  request_hash text        NOT NULL,
  reference    text        NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant, principal, operation, key)
);
CREATE INDEX idempotency_key_age ON idempotency_key (created_at);
ALTER TABLE idempotency_key ENABLE ROW LEVEL SECURITY;
ALTER TABLE idempotency_key FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON idempotency_key TO fairlead_app USING (tenant = current_setting('fairlead.tenant')::uuid);
CREATE POLICY all_tenants ON idempotency_key TO fairlead_loops USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON idempotency_key TO fairlead_app, fairlead_loops;
