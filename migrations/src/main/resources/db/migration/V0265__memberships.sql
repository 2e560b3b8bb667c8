SET LOCAL ROLE fairlead_owner;

ALTER TABLE tenant ADD COLUMN display_name text NOT NULL DEFAULT '';
ALTER TABLE tenant ADD COLUMN state        text NOT NULL DEFAULT 'ACTIVE';

-- One role of a principal in a tenant, and one in each of its projects. Was never used under its first name.
DROP TABLE role_binding;
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
CREATE POLICY one_tenant ON membership TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON membership TO fairlead_loops USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON membership TO fairlead_app, fairlead_loops;

-- Principals of tokens that still stand stay what these tokens say; of several roles the largest counts.
SET LOCAL ROLE fairlead_loops;
INSERT INTO membership (id, tenant, project, principal, role, created_at, created_by, version)
SELECT DISTINCT ON (tenant, project, principal)
       gen_random_uuid(), tenant, project, principal, role, now(), created_by, 0
FROM api_token
WHERE revoked_at IS NULL AND expires_at > now() AND role NOT IN ('ADMIN', 'OPERATOR', 'AUDITOR')
ORDER BY tenant, project, principal, role LIKE '%OWNER' DESC, role LIKE '%MEMBER' DESC;
