SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- How long a volume had its claim, written when that ends. Those that still have one are in volume.
CREATE TABLE volume_stay (
  volume        uuid        PRIMARY KEY,
  tenant        uuid        NOT NULL REFERENCES tenant,
  project       uuid        NOT NULL,
  name          text        COLLATE "C" NOT NULL,
  size_gib      bigint      NOT NULL,
  storage_class text        COLLATE "C",
  cluster       uuid        NOT NULL,
  begun_at      timestamptz NOT NULL,
  ended_at      timestamptz NOT NULL
);
CREATE INDEX volume_stay_of_tenant ON volume_stay (tenant, ended_at);
CREATE INDEX volume_stay_ended ON volume_stay (ended_at);

ALTER TABLE volume_stay ENABLE ROW LEVEL SECURITY;
ALTER TABLE volume_stay FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON volume_stay TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON volume_stay TO fairlead_loops USING (true);
GRANT SELECT, INSERT ON volume_stay TO fairlead_app;
GRANT SELECT, INSERT, DELETE ON volume_stay TO fairlead_loops;
