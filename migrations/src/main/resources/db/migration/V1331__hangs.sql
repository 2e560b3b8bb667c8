SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Attempts that fell silent: incidents of all their nodes at once, over as soon as they are known. Apart from those of machines,
-- which isolate, are repaired and end with a release. Retention removes them with these. No tenant's role sees them.
CREATE TABLE hang (
  id         uuid        PRIMARY KEY,
  cluster    uuid        NOT NULL,
  job        uuid        NOT NULL,
  attempt    text        COLLATE "C" NOT NULL,
  nodes      uuid[]      NOT NULL,
  node_names text[]      NOT NULL,
  cause      text        NOT NULL,
  since      timestamptz NOT NULL,
  at         timestamptz NOT NULL
);
CREATE INDEX hang_of_node ON hang USING gin (nodes);
CREATE INDEX hang_of_cluster ON hang (cluster, at);
CREATE INDEX hang_at ON hang (at);

GRANT SELECT, INSERT, DELETE ON hang TO fairlead_loops;
