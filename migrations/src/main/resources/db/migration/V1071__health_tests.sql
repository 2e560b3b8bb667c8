SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Tests that nodes have to pass, and their runs. Of the platform: no tenant's role sees them. A run outlives its test and its node.
CREATE TABLE health_test (
  name    text  PRIMARY KEY,
  content jsonb NOT NULL
);

CREATE TABLE health_test_run (
  id       uuid        PRIMARY KEY,
  test     text        NOT NULL,
  node     uuid        NOT NULL,
  ended_at timestamptz,
  content  jsonb       NOT NULL
);
-- Two tests at a time on one node would disturb each other.
CREATE UNIQUE INDEX health_test_run_open ON health_test_run (node) WHERE ended_at IS NULL;
CREATE INDEX health_test_run_newest ON health_test_run (test, node, id DESC);
CREATE INDEX health_test_run_of_node ON health_test_run (node, id DESC);
CREATE INDEX health_test_run_ended ON health_test_run (ended_at) WHERE ended_at IS NOT NULL;

GRANT SELECT, INSERT, UPDATE, DELETE ON health_test, health_test_run TO fairlead_loops;
