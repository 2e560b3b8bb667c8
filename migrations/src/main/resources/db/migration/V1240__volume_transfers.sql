SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Copies of volumes to other clusters, and imports. Null where the name of the claim follows from the name of the volume.
ALTER TABLE volume ADD COLUMN claim text COLLATE "C";

CREATE TABLE volume_transfer (
  id       uuid        PRIMARY KEY,
  tenant   uuid        NOT NULL REFERENCES tenant,
  project  uuid        NOT NULL REFERENCES project ON DELETE CASCADE,
  target   uuid        NOT NULL,
  ended_at timestamptz,
  version  bigint      NOT NULL,
  content  jsonb       NOT NULL
);
-- Two that fill one volume would mix their files.
CREATE UNIQUE INDEX volume_transfer_open ON volume_transfer (target) WHERE ended_at IS NULL;
CREATE INDEX volume_transfer_of_project ON volume_transfer (tenant, project, id DESC);
CREATE INDEX volume_transfer_project ON volume_transfer (project);
CREATE INDEX volume_transfer_ended ON volume_transfer (ended_at) WHERE ended_at IS NOT NULL;

ALTER TABLE volume_transfer ENABLE ROW LEVEL SECURITY;
ALTER TABLE volume_transfer FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON volume_transfer TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON volume_transfer TO fairlead_loops USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON volume_transfer TO fairlead_app, fairlead_loops;
