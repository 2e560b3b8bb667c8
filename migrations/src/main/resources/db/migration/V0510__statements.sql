SET LOCAL ROLE fairlead_owner;

-- Signed monthly statements, as the text that is served. What was signed never changes and no row goes: no role may update
-- or delete.
CREATE TABLE statement (
  tenant   uuid NOT NULL REFERENCES tenant,
  month    text COLLATE "C" NOT NULL CHECK (month ~ '^[0-9]{4}-(0[1-9]|1[0-2])$'),
  document text NOT NULL,
  PRIMARY KEY (tenant, month)
);

ALTER TABLE statement ENABLE ROW LEVEL SECURITY;
ALTER TABLE statement FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON statement TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON statement TO fairlead_loops USING (true);
GRANT SELECT, INSERT ON statement TO fairlead_app, fairlead_loops;
