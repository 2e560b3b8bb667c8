SET LOCAL ROLE fairlead_owner;

-- What was set for a tenant (project is null) or for one of its projects; null is the default. The place is the id of
-- the project, or of the tenant.
CREATE TABLE tenant_limits (
  place               uuid   PRIMARY KEY,
  tenant              uuid   NOT NULL REFERENCES tenant,
  project             uuid   UNIQUE REFERENCES project ON DELETE CASCADE,
  active_jobs         bigint CHECK (active_jobs > 0),
  projects            bigint CHECK (projects > 0),
  requests_per_minute bigint CHECK (requests_per_minute > 0),
  spec_bytes          bigint CHECK (spec_bytes > 0),
  version             bigint NOT NULL,
  CHECK (place = coalesce(project, tenant)),
  CHECK (project IS NULL OR projects IS NULL)
);

CREATE INDEX tenant_limits_of_tenant ON tenant_limits (tenant);

ALTER TABLE tenant_limits ENABLE ROW LEVEL SECURITY;
ALTER TABLE tenant_limits FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON tenant_limits TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON tenant_limits TO fairlead_loops USING (true);
GRANT SELECT, INSERT, UPDATE ON tenant_limits TO fairlead_app, fairlead_loops;
