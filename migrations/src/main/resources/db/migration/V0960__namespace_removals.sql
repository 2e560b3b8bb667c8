SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Namespaces of projects that are no more, on each cluster that may have one; the row goes with the namespace. Its project may
-- be gone, so nothing refers to it.
CREATE TABLE namespace_removal (
  cluster   uuid        NOT NULL REFERENCES cluster ON DELETE CASCADE,
  namespace text        COLLATE "C" NOT NULL,
  project   uuid        NOT NULL,
  tenant    uuid        NOT NULL REFERENCES tenant ON DELETE CASCADE,
  since     timestamptz NOT NULL DEFAULT now(),
  next_at   timestamptz NOT NULL DEFAULT now(),
  tries     int         NOT NULL DEFAULT 0,
  why       text,
  PRIMARY KEY (cluster, namespace, project)
);
CREATE INDEX namespace_removal_due ON namespace_removal (cluster, next_at);
CREATE INDEX namespace_removal_left ON namespace_removal (since) WHERE tries > 0;
CREATE INDEX namespace_removal_of_tenant ON namespace_removal (tenant);

ALTER TABLE namespace_removal ENABLE ROW LEVEL SECURITY;
ALTER TABLE namespace_removal FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON namespace_removal TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON namespace_removal TO fairlead_loops USING (true);
GRANT SELECT, INSERT ON namespace_removal TO fairlead_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON namespace_removal TO fairlead_loops;
