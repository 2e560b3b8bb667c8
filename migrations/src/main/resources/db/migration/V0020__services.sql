SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Progress of each model service. Its settings are its document.
CREATE TABLE model_service (
  id       uuid   PRIMARY KEY,
  kind     text   COLLATE "C" NOT NULL DEFAULT 'MODEL_SERVICE' CHECK (kind = 'MODEL_SERVICE'),
  document text   COLLATE "C" NOT NULL,
  tenant   uuid   NOT NULL REFERENCES tenant,
  route    text   COLLATE "C" NOT NULL,
  revision bigint NOT NULL,
  content  text   NOT NULL,
  UNIQUE (kind, document),
  FOREIGN KEY (kind, document) REFERENCES config_document ON DELETE CASCADE
);
CREATE UNIQUE INDEX model_service_route ON model_service (route);
CREATE INDEX model_service_of_tenant ON model_service (tenant);
ALTER TABLE model_service ENABLE ROW LEVEL SECURITY;
ALTER TABLE model_service FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON model_service TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON model_service TO fairlead_loops USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON model_service TO fairlead_app, fairlead_loops;

-- Versions never change.
CREATE TABLE model_service_version (
  service uuid NOT NULL REFERENCES model_service ON DELETE CASCADE,
  number  int  NOT NULL CHECK (number > 0),
  tenant  uuid NOT NULL REFERENCES tenant,
  content text NOT NULL,
  PRIMARY KEY (service, number)
);
CREATE INDEX model_service_version_of_tenant ON model_service_version (tenant);
ALTER TABLE model_service_version ENABLE ROW LEVEL SECURITY;
ALTER TABLE model_service_version FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON model_service_version TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON model_service_version TO fairlead_loops USING (true);
GRANT SELECT, INSERT, DELETE ON model_service_version TO fairlead_app, fairlead_loops;

-- The last report of the gateway of each cluster, and the sums of its counts.
CREATE TABLE model_service_traffic (
  service      uuid        NOT NULL REFERENCES model_service ON DELETE CASCADE,
  version      int         NOT NULL,
  cluster      uuid        NOT NULL REFERENCES cluster ON DELETE CASCADE,
  tenant       uuid        NOT NULL REFERENCES tenant,
  requests     bigint      NOT NULL,
  bad          bigint      NOT NULL,
  raw_requests bigint      NOT NULL,
  raw_bad      bigint      NOT NULL,
  ready        uuid[]      NOT NULL,
  -- Sum of the latencies of all requests, and the time of the count: null while requests are not counted.
  millis       bigint      NOT NULL DEFAULT 0,
  raw_millis   bigint      NOT NULL DEFAULT 0,
  counted_at   timestamptz,
  PRIMARY KEY (service, version, cluster)
);
CREATE INDEX model_service_traffic_of_cluster ON model_service_traffic (cluster);
CREATE INDEX model_service_traffic_of_tenant ON model_service_traffic (tenant);
ALTER TABLE model_service_traffic ENABLE ROW LEVEL SECURITY;
ALTER TABLE model_service_traffic FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON model_service_traffic TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON model_service_traffic TO fairlead_loops USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON model_service_traffic TO fairlead_app, fairlead_loops;
