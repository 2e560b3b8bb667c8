SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Namespaces of clusters whose Jobs a project runs.
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
GRANT SELECT, INSERT, UPDATE, DELETE ON front_namespace TO fairlead_loops;

-- Adopted Jobs. A row is deleted when its Job shows its end or is gone. No foreign key to the job: it may be in the archive.
CREATE TABLE front_job (
  cluster        uuid        NOT NULL REFERENCES cluster ON DELETE CASCADE,
  uid            text        COLLATE "C" NOT NULL,
  namespace      text        COLLATE "C" NOT NULL,
  name           text        COLLATE "C" NOT NULL,
  tenant         uuid        NOT NULL,
  project        uuid        NOT NULL,
  job            uuid,
  suspended      boolean     NOT NULL,
  taken_at       timestamptz NOT NULL,
  shown          bigint      NOT NULL DEFAULT 0,
  -- Time at which the front stopped showing the Job while its circuit breaker was open, and whether an operator confirmed the
  -- loss.
  missing_since  timestamptz,
  loss_confirmed boolean     NOT NULL DEFAULT false,
  PRIMARY KEY (cluster, uid)
);
-- Lists of circuit breakers read only these rows.
CREATE INDEX front_job_missing ON front_job (cluster) WHERE missing_since IS NOT NULL;
GRANT SELECT, INSERT, UPDATE, DELETE ON front_job TO fairlead_loops;
