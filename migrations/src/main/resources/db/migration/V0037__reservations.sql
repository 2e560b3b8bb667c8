SET LOCAL ROLE fairlead_owner;

-- Capacity that is kept for a waiting element; written by the scheduler alone, under its fence.
CREATE TABLE reservation (
  job        uuid        NOT NULL REFERENCES job ON DELETE CASCADE,
  element    int         NOT NULL CHECK (element >= 0),
  tenant     uuid        NOT NULL,
  kind       text        NOT NULL CHECK (kind IN ('PREEMPTION', 'BACKFILL', 'DRAIN')),
  cluster    uuid        NOT NULL,
  members    jsonb       NOT NULL,
  victims    jsonb       NOT NULL,
  created_at timestamptz NOT NULL,
  starts_at  timestamptz,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (job, element)
);

ALTER TABLE reservation ENABLE ROW LEVEL SECURITY;
ALTER TABLE reservation FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON reservation TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON reservation TO fairlead_loops USING (true);
GRANT SELECT ON reservation TO fairlead_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON reservation TO fairlead_loops;
