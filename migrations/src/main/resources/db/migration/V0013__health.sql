SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Events that monitors posted. Retention deletes them with the events of jobs.
CREATE TABLE health_event (
  cluster     uuid        NOT NULL REFERENCES cluster ON DELETE CASCADE,
  id          text        COLLATE "C" NOT NULL,
  at          timestamptz NOT NULL,
  received_at timestamptz NOT NULL,
  node_name   text        COLLATE "C" NOT NULL,
  node        uuid,
  gpu         text        COLLATE "C",
  serial      text        COLLATE "C",
  xid         int         NOT NULL,
  message     text        NOT NULL,
  verdict     text        NOT NULL,
  incident    uuid,
  -- Events of one code on one device within three minutes share a row, from at to last_at, with at least this number. Null
  -- for an event that is stored alone.
  last_at     timestamptz,
  events      int         NOT NULL DEFAULT 1,
  PRIMARY KEY (cluster, id)
);
CREATE INDEX health_event_of_gpu ON health_event (gpu, xid, at DESC) WHERE gpu IS NOT NULL;
CREATE INDEX health_event_received ON health_event (received_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON health_event TO fairlead_loops;

CREATE TABLE incident (
  id        uuid        PRIMARY KEY,
  cluster   uuid        NOT NULL,
  node      uuid        NOT NULL,
  node_name text        COLLATE "C" NOT NULL,
  gpu       text        COLLATE "C",
  serial    text        COLLATE "C",
  xid       int         NOT NULL,
  cause     text        NOT NULL,
  scope     text        NOT NULL,
  step      text        NOT NULL,
  opened_at timestamptz NOT NULL,
  last_at   timestamptz NOT NULL,
  events    int         NOT NULL,
  isolation text        NOT NULL,
  ended_at  timestamptz
);
CREATE UNIQUE INDEX incident_open ON incident (node, coalesce(gpu, '')) WHERE ended_at IS NULL;
CREATE INDEX incident_of_node ON incident (node, id DESC);
CREATE INDEX incident_of_gpu ON incident (gpu, id DESC) WHERE gpu IS NOT NULL;
CREATE INDEX incident_ended ON incident (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX incident_ended_of_node ON incident (node, ended_at DESC) WHERE ended_at IS NOT NULL;
GRANT SELECT, INSERT, UPDATE, DELETE ON incident TO fairlead_loops;

-- Topology domains that operators took out of service, including nodes that join them later. Each node of such a domain has a
-- row of quarantine, so readers of quarantines need no other table. Retention deletes a domain after these rows.
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
GRANT SELECT, INSERT, UPDATE, DELETE ON domain_quarantine TO fairlead_loops;

-- A standing quarantine excludes its node from new placements, whatever the cluster reports. It ends by time, or an operator
-- owns it. It is deleted with its cluster. The row of the node may move to node_retired, so there is no foreign key to it.
CREATE TABLE quarantine (
  id                uuid        PRIMARY KEY,
  cluster           uuid        NOT NULL REFERENCES cluster ON DELETE CASCADE,
  node              uuid        NOT NULL,
  incident          uuid        REFERENCES incident,
  cause             text        NOT NULL,
  owner             text,
  since             timestamptz NOT NULL,
  until             timestamptz,
  released_at       timestamptz,
  released          text,
  domain_quarantine uuid        REFERENCES domain_quarantine,
  -- UUID of the only excluded device, null for the whole node.
  gpu               text        COLLATE "C",
  CHECK (until IS NOT NULL OR owner IS NOT NULL),
  CHECK ((released_at IS NULL) = (released IS NULL))
);
CREATE UNIQUE INDEX quarantine_of_incident ON quarantine (incident) WHERE released_at IS NULL;
CREATE INDEX quarantine_standing ON quarantine (cluster, id) WHERE released_at IS NULL;
CREATE INDEX quarantine_ended ON quarantine (cluster, released_at DESC) WHERE released_at IS NOT NULL;
CREATE INDEX quarantine_of_any_incident ON quarantine (incident) WHERE incident IS NOT NULL;
-- Each event reads the last release of its node.
CREATE INDEX quarantine_of_node ON quarantine (node, released_at DESC) WHERE released_at IS NOT NULL;
-- A node has one standing quarantine for each domain, and one for each earlier period in it.
CREATE UNIQUE INDEX quarantine_of_domain ON quarantine (domain_quarantine, node, released_at) NULLS NOT DISTINCT
  WHERE domain_quarantine IS NOT NULL;
GRANT SELECT, INSERT, UPDATE, DELETE ON quarantine TO fairlead_loops;

-- Devices by UUID. A row of gpu_slot is a place in a node. No foreign key to node or cluster, because a device outlives both.
CREATE TABLE gpu_device (
  uuid          text        COLLATE "C" PRIMARY KEY,
  serial        text        COLLATE "C",
  cluster       uuid        NOT NULL,
  node          uuid        NOT NULL,
  node_name     text        COLLATE "C" NOT NULL,
  source        text        NOT NULL,
  first_seen    timestamptz NOT NULL,
  last_seen     timestamptz NOT NULL,
  missing_since timestamptz
);
CREATE INDEX gpu_device_of_serial ON gpu_device (serial) WHERE serial IS NOT NULL;
CREATE INDEX gpu_device_of_node ON gpu_device (node);
GRANT SELECT, INSERT, UPDATE, DELETE ON gpu_device TO fairlead_loops;

CREATE TABLE gpu_change (
  n    bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  gpu  text        COLLATE "C" NOT NULL,
  at   timestamptz NOT NULL,
  kind text        NOT NULL,
  text text        NOT NULL
);
CREATE INDEX gpu_change_of_gpu ON gpu_change (gpu, at DESC, n DESC);
CREATE INDEX gpu_change_at ON gpu_change (at);
GRANT SELECT, INSERT, UPDATE, DELETE ON gpu_change TO fairlead_loops;

-- Hanging attempts, as incidents of all their nodes. Separate from incidents of machines, which isolate nodes, are repaired
-- and end with a release. Retention deletes both.
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

-- Rows of the table of faults that operators set. All others are as Fairlead ships them. The service reads them with each
-- report, so a change applies to the next event.
CREATE TABLE health_rule (
  xid     int    PRIMARY KEY,
  content jsonb  NOT NULL,
  version bigint NOT NULL
);
GRANT SELECT, INSERT, UPDATE ON health_rule TO fairlead_loops;

-- Runs of health tests. A run outlives its test and its node.
CREATE TABLE health_test_run (
  id        uuid        PRIMARY KEY,
  test      text        NOT NULL,
  node      uuid        NOT NULL,
  ended_at  timestamptz,
  content   jsonb       NOT NULL,
  -- The job that waits for the run, null if none does.
  wanted_by uuid
);
-- Two tests on one node at a time would disturb each other.
CREATE UNIQUE INDEX health_test_run_open ON health_test_run (node) WHERE ended_at IS NULL;
CREATE INDEX health_test_run_newest ON health_test_run (test, node, id DESC);
CREATE INDEX health_test_run_of_node ON health_test_run (node, id DESC);
CREATE INDEX health_test_run_ended ON health_test_run (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX health_test_run_wanted ON health_test_run (ended_at) WHERE wanted_by IS NOT NULL;
-- The last run of each node that was not for a job. Runs for jobs may be far more.
CREATE INDEX health_test_run_clocked ON health_test_run (test, node, id DESC) WHERE wanted_by IS NULL;
GRANT SELECT, INSERT, UPDATE, DELETE ON health_test_run TO fairlead_loops;

-- Notices of the end of a machine that systems outside its cluster announce. A withdrawn notice remains, so that a late
-- repeat does not revive it. Rows are deleted with health events, a week after the deadline.
CREATE TABLE announced_notice (
  cluster   uuid        NOT NULL REFERENCES cluster ON DELETE CASCADE,
  id        text        COLLATE "C" NOT NULL,
  node_name text        COLLATE "C" NOT NULL,
  kind      text        COLLATE "C" NOT NULL,
  reason    text        NOT NULL,
  deadline  timestamptz NOT NULL,
  boot      text        COLLATE "C" NOT NULL,
  withdrawn boolean     NOT NULL,
  PRIMARY KEY (cluster, id)
);
CREATE INDEX announced_notice_open ON announced_notice (cluster, deadline) WHERE NOT withdrawn;
CREATE INDEX announced_notice_deadline ON announced_notice (deadline);
GRANT SELECT, INSERT, UPDATE, DELETE ON announced_notice TO fairlead_loops;
