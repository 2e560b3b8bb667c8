SET LOCAL lock_timeout = '5s';
SET LOCAL ROLE fairlead_owner;

-- The last change of a node or cluster that changes repeatedly, until its event is due. It names machines, so no tenant reads it.
CREATE TABLE held_fleet_event (
  subject uuid        PRIMARY KEY,
  cluster uuid        NOT NULL,
  actor   text        NOT NULL,
  held    int         NOT NULL,
  due     timestamptz NOT NULL,
  fact    jsonb       NOT NULL
);
GRANT SELECT, INSERT, UPDATE, DELETE ON held_fleet_event TO fairlead_loops;
