SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- A volume outlives jobs: neither its project nor its cluster goes while it is there.
CREATE TABLE volume (
  id            uuid        PRIMARY KEY,
  tenant        uuid        NOT NULL REFERENCES tenant,
  project       uuid        NOT NULL REFERENCES project,
  name          text        COLLATE "C" NOT NULL,
  size_gib      bigint      NOT NULL CHECK (size_gib > 0),
  storage_class text        COLLATE "C",
  access        text        COLLATE "C" NOT NULL,
  retain        boolean     NOT NULL,
  state         text        COLLATE "C" NOT NULL,
  cluster       uuid        REFERENCES cluster,
  claim_uid     text        COLLATE "C",
  bound_at      timestamptz,
  message       text,
  created_at    timestamptz NOT NULL,
  created_by    text        NOT NULL,
  version       bigint      NOT NULL,
  UNIQUE (project, name),
  CONSTRAINT volume_cluster_check CHECK ((state = 'CLAIMED') = (cluster IS NULL)),
  CONSTRAINT volume_claim_check CHECK ((state IN ('CLAIMED', 'PLACED')) = (claim_uid IS NULL))
);
CREATE INDEX volume_tenant ON volume (tenant);
CREATE INDEX volume_cluster ON volume (cluster) WHERE cluster IS NOT NULL;

ALTER TABLE volume ENABLE ROW LEVEL SECURITY;
ALTER TABLE volume FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON volume TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON volume TO fairlead_loops USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON volume TO fairlead_app, fairlead_loops;
