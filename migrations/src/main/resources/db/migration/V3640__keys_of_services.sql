SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- API keys of model services. A revoked key stays, because its usage refers to it. All rows are deleted with the service.
CREATE TABLE service_key (
  service             uuid        NOT NULL REFERENCES model_service ON DELETE CASCADE,
  name                text        COLLATE "C" NOT NULL,
  tenant              uuid        NOT NULL REFERENCES tenant,
  hash                text        COLLATE "C" NOT NULL,
  created_by          text        NOT NULL,
  created_at          timestamptz NOT NULL,
  expires_at          timestamptz NOT NULL,
  revoked_at          timestamptz,
  requests_per_minute int         CHECK (requests_per_minute > 0),
  tokens_per_minute   int         CHECK (tokens_per_minute > 0),
  last_used_at        timestamptz,
  PRIMARY KEY (service, name)
);
CREATE UNIQUE INDEX service_key_hash ON service_key (hash);
CREATE INDEX service_key_of_tenant ON service_key (tenant);
ALTER TABLE service_key ENABLE ROW LEVEL SECURITY;
ALTER TABLE service_key FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON service_key TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON service_key TO fairlead_loops USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON service_key TO fairlead_app, fairlead_loops;

-- Requests and tokens of a key by hour. Gates delete rows that are older than 400 days.
CREATE TABLE service_key_hour (
  service           uuid        NOT NULL,
  name              text        COLLATE "C" NOT NULL,
  hour              timestamptz NOT NULL,
  tenant            uuid        NOT NULL REFERENCES tenant,
  requests          bigint      NOT NULL,
  prompt_tokens     bigint      NOT NULL,
  completion_tokens bigint      NOT NULL,
  unmetered         bigint      NOT NULL,
  PRIMARY KEY (service, name, hour),
  FOREIGN KEY (service, name) REFERENCES service_key ON DELETE CASCADE
);
CREATE INDEX service_key_hour_of_tenant ON service_key_hour (tenant);
CREATE INDEX service_key_hour_by_time ON service_key_hour (hour);
ALTER TABLE service_key_hour ENABLE ROW LEVEL SECURITY;
ALTER TABLE service_key_hour FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON service_key_hour TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON service_key_hour TO fairlead_loops USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON service_key_hour TO fairlead_app, fairlead_loops;

-- Requests and tokens of a key in the present minute, which its limits count. Gates delete rows that are older than ten minutes.
CREATE TABLE service_key_minute (
  service  uuid        NOT NULL,
  name     text        COLLATE "C" NOT NULL,
  minute   timestamptz NOT NULL,
  tenant   uuid        NOT NULL REFERENCES tenant,
  requests bigint      NOT NULL,
  tokens   bigint      NOT NULL,
  PRIMARY KEY (service, name, minute),
  FOREIGN KEY (service, name) REFERENCES service_key ON DELETE CASCADE
);
CREATE INDEX service_key_minute_of_tenant ON service_key_minute (tenant);
CREATE INDEX service_key_minute_by_time ON service_key_minute (minute);
ALTER TABLE service_key_minute ENABLE ROW LEVEL SECURITY;
ALTER TABLE service_key_minute FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON service_key_minute TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON service_key_minute TO fairlead_loops USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON service_key_minute TO fairlead_app, fairlead_loops;

-- Gates with the last batch of counts that each stored, so that a repeated batch is not added twice. Gates delete rows that are
-- older than a day.
CREATE TABLE service_gate (
  id        uuid        PRIMARY KEY,
  batch     bigint      NOT NULL,
  stored_at timestamptz NOT NULL
);
GRANT SELECT, INSERT, UPDATE, DELETE ON service_gate TO fairlead_loops;

-- Requests that gates forwarded to a version, which the gateway does not count.
CREATE TABLE service_gate_traffic (
  service  uuid   NOT NULL REFERENCES model_service ON DELETE CASCADE,
  version  int    NOT NULL,
  tenant   uuid   NOT NULL REFERENCES tenant,
  requests bigint NOT NULL,
  bad      bigint NOT NULL,
  millis   bigint NOT NULL,
  PRIMARY KEY (service, version)
);
CREATE INDEX service_gate_traffic_of_tenant ON service_gate_traffic (tenant);
ALTER TABLE service_gate_traffic ENABLE ROW LEVEL SECURITY;
ALTER TABLE service_gate_traffic FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON service_gate_traffic TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON service_gate_traffic TO fairlead_loops USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON service_gate_traffic TO fairlead_app, fairlead_loops;
