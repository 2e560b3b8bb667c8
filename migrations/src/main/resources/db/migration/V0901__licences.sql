SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Counted things that no node has; they belong to the installation, not to a tenant.
CREATE TABLE licence (
  name  text COLLATE "C" PRIMARY KEY,
  count int  NOT NULL CHECK (count >= 0)
);

-- What attempts hold of them. Its end removes the row, in the transaction that releases its allocations.
CREATE TABLE licence_hold (
  attempt uuid NOT NULL,
  licence text COLLATE "C" NOT NULL REFERENCES licence,
  count   int  NOT NULL CHECK (count > 0),
  PRIMARY KEY (attempt, licence)
);
CREATE INDEX licence_hold_of ON licence_hold (licence) INCLUDE (count);

GRANT SELECT, INSERT, UPDATE, DELETE ON licence, licence_hold TO fairlead_loops;
