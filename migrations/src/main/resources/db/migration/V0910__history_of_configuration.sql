SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- What changes made of the configuration, as text, so that its SHA-256 is the hash in their row of the audit. The version is the
-- number of that row; no reference to it, since days of the audit are dropped. The newest of each name stay.
CREATE TABLE config_version (
  tenant    uuid        NOT NULL REFERENCES tenant ON DELETE CASCADE,
  version   bigint      NOT NULL,
  kind      text        NOT NULL,
  name      text        COLLATE "C" NOT NULL,
  at        timestamptz NOT NULL DEFAULT now(),
  actor     text        NOT NULL,
  operation text        NOT NULL,
  before    text,
  after     text,
  PRIMARY KEY (tenant, version)
);
CREATE INDEX config_version_at ON config_version (at);
CREATE INDEX config_version_of ON config_version (tenant, kind, name, version);

ALTER TABLE config_version ENABLE ROW LEVEL SECURITY;
ALTER TABLE config_version FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON config_version TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON config_version TO fairlead_loops USING (true);
GRANT SELECT, INSERT, DELETE ON config_version TO fairlead_app, fairlead_loops;
