SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Configuration as versioned documents, one row each. A name is unique within its kind. Tenant and project are null for the
-- platform.
CREATE TABLE config_document (
  kind    text   COLLATE "C" NOT NULL,
  name    text   COLLATE "C" NOT NULL,
  tenant  uuid   REFERENCES tenant,
  project uuid   REFERENCES project ON DELETE CASCADE,
  version bigint NOT NULL CHECK (version > 0),
  body    jsonb  NOT NULL,
  PRIMARY KEY (kind, name),
  CHECK (project IS NULL OR tenant IS NOT NULL)
);
CREATE INDEX config_document_of_tenant ON config_document (tenant, kind) WHERE tenant IS NOT NULL;
CREATE INDEX config_document_of_project ON config_document (project) WHERE project IS NOT NULL;
ALTER TABLE config_document ENABLE ROW LEVEL SECURITY;
ALTER TABLE config_document FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON config_document TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON config_document TO fairlead_loops USING (true);
-- A price id names one price forever because bills refer to it: no role of the service updates or deletes the document of a
-- price.
CREATE POLICY prices_are_not_updated ON config_document AS RESTRICTIVE FOR UPDATE USING (kind <> 'PRICE');
CREATE POLICY prices_are_not_deleted ON config_document AS RESTRICTIVE FOR DELETE USING (kind <> 'PRICE');
GRANT SELECT, INSERT, UPDATE, DELETE ON config_document TO fairlead_app, fairlead_loops;

-- Configuration before and after each change, as text, so that its SHA-256 equals the hash in its audit row. The version is
-- the number of that row. No foreign key, because days of the audit are dropped. The newest version of each name is retained.
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
  -- Reason of the change, as in its audit row, and the version that it reverts.
  reason    text,
  reverts   bigint,
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
