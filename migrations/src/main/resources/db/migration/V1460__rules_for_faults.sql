SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Rows of the table of faults that operators set; those that no operator set are as Fairlead ships them. Of the platform: no
-- tenant's role writes it, and the service reads it with each report of a monitor, so that a change counts from the next event on.
CREATE TABLE health_rule (
  xid     integer PRIMARY KEY,
  content jsonb   NOT NULL,
  version bigint  NOT NULL
);
GRANT SELECT, INSERT, UPDATE ON health_rule TO fairlead_loops;
