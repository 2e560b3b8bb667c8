SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Namespaces of clusters whose Jobs a project runs, and the Jobs that are taken up. Of the platform: no tenant's role sees them.
CREATE TABLE front_namespace (
  cluster   uuid        NOT NULL REFERENCES cluster ON DELETE CASCADE,
  namespace text        COLLATE "C" NOT NULL,
  tenant    uuid        NOT NULL REFERENCES tenant,
  project   uuid        NOT NULL REFERENCES project ON DELETE CASCADE,
  mapped_by text        NOT NULL,
  mapped_at timestamptz NOT NULL,
  trouble   text,
  PRIMARY KEY (cluster, namespace)
);
CREATE INDEX front_namespace_project ON front_namespace (project);
CREATE INDEX front_namespace_tenant ON front_namespace (tenant);

-- A row goes when its Job shows its end or is gone; jobs go to the archive, so they are not referred to.
CREATE TABLE front_job (
  cluster   uuid        NOT NULL REFERENCES cluster ON DELETE CASCADE,
  uid       text        COLLATE "C" NOT NULL,
  namespace text        COLLATE "C" NOT NULL,
  name      text        COLLATE "C" NOT NULL,
  tenant    uuid        NOT NULL,
  project   uuid        NOT NULL,
  job       uuid,
  suspended boolean     NOT NULL,
  taken_at  timestamptz NOT NULL,
  shown     bigint      NOT NULL DEFAULT 0,
  PRIMARY KEY (cluster, uid)
);

GRANT SELECT, INSERT, UPDATE, DELETE ON front_namespace, front_job TO fairlead_loops;
