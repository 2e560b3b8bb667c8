SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Topology domains that operators keep out of use, with the nodes that come into them later. Each node in one has a row of
-- quarantine that refers to it, so what reads quarantines of nodes reads nothing else. Retention removes them after those rows.
CREATE TABLE domain_quarantine (
  id          uuid        PRIMARY KEY,
  cluster     uuid        NOT NULL REFERENCES cluster ON DELETE CASCADE,
  level       text        COLLATE "C" NOT NULL,
  domain      text        COLLATE "C" NOT NULL,
  reason      text        NOT NULL,
  owner       text        NOT NULL,
  since       timestamptz NOT NULL,
  until       timestamptz,
  released_at timestamptz,
  released    text,
  version     bigint      NOT NULL,
  CHECK ((released_at IS NULL) = (released IS NULL))
);
CREATE UNIQUE INDEX domain_quarantine_standing ON domain_quarantine (cluster, level, domain) WHERE released_at IS NULL;
CREATE INDEX domain_quarantine_of_cluster ON domain_quarantine (cluster, id DESC);

-- The table has a row for each node that is or was out of use for its health: thousands, read in milliseconds.
-- squawk-ignore adding-foreign-key-constraint
ALTER TABLE quarantine ADD COLUMN domain_quarantine uuid REFERENCES domain_quarantine;
-- A node has one that stands of each domain, and one for each time that it was in it.
-- squawk-ignore require-concurrent-index-creation
CREATE UNIQUE INDEX quarantine_of_domain ON quarantine (domain_quarantine, node, released_at) NULLS NOT DISTINCT
  WHERE domain_quarantine IS NOT NULL;

GRANT SELECT, INSERT, UPDATE, DELETE ON domain_quarantine TO fairlead_loops;
