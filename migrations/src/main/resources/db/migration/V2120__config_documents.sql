SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Configuration as versioned documents, one row each. A name is unique within its kind; tenant and project are null for the platform.
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
GRANT SELECT, INSERT, UPDATE, DELETE ON config_document TO fairlead_app, fairlead_loops;
