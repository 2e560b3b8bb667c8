SET LOCAL ROLE fairlead_owner;

-- Faults of machines. All of it belongs to the fleet, not to a tenant.

-- What monitors of clusters posted. Retention removes it with the events of jobs.
CREATE TABLE health_event (
  cluster     uuid        NOT NULL REFERENCES cluster ON DELETE CASCADE,
  id          text        COLLATE "C" NOT NULL,
  at          timestamptz NOT NULL,
  received_at timestamptz NOT NULL,
  node_name   text        COLLATE "C" NOT NULL,
  node        uuid,
  gpu         text        COLLATE "C",
  serial      text        COLLATE "C",
  xid         integer     NOT NULL,
  message     text        NOT NULL,
  verdict     text        NOT NULL,
  incident    uuid,
  PRIMARY KEY (cluster, id)
);
CREATE INDEX health_event_of_gpu ON health_event (gpu, xid, at DESC) WHERE gpu IS NOT NULL;
CREATE INDEX health_event_received ON health_event (received_at);

CREATE TABLE incident (
  id        uuid        PRIMARY KEY,
  cluster   uuid        NOT NULL,
  node      uuid        NOT NULL,
  node_name text        COLLATE "C" NOT NULL,
  gpu       text        COLLATE "C",
  serial    text        COLLATE "C",
  xid       integer     NOT NULL,
  cause     text        NOT NULL,
  scope     text        NOT NULL,
  step      text        NOT NULL,
  opened_at timestamptz NOT NULL,
  last_at   timestamptz NOT NULL,
  events    integer     NOT NULL,
  isolation text        NOT NULL,
  ended_at  timestamptz
);
CREATE UNIQUE INDEX incident_open ON incident (node, coalesce(gpu, '')) WHERE ended_at IS NULL;
CREATE INDEX incident_of_node ON incident (node, id DESC);
CREATE INDEX incident_of_gpu ON incident (gpu, id DESC) WHERE gpu IS NOT NULL;

-- What stands keeps its node out of new placements, whatever the cluster reports. Each one ends by itself or is held by an
-- operator. It goes with its cluster; the node's row may move to node_retired meanwhile, so nothing refers to that.
CREATE TABLE quarantine (
  id          uuid        PRIMARY KEY,
  cluster     uuid        NOT NULL REFERENCES cluster ON DELETE CASCADE,
  node        uuid        NOT NULL,
  incident    uuid        REFERENCES incident,
  cause       text        NOT NULL,
  owner       text,
  since       timestamptz NOT NULL,
  until       timestamptz,
  released_at timestamptz,
  released    text,
  CHECK (until IS NOT NULL OR owner IS NOT NULL),
  CHECK ((released_at IS NULL) = (released IS NULL))
);
CREATE UNIQUE INDEX quarantine_of_incident ON quarantine (incident) WHERE released_at IS NULL;
CREATE INDEX quarantine_standing ON quarantine (cluster, id) WHERE released_at IS NULL;
CREATE INDEX quarantine_ended ON quarantine (cluster, released_at DESC) WHERE released_at IS NOT NULL;

-- Faults name the machines of all tenants: the role of a tenant sees none.
GRANT SELECT, INSERT, UPDATE, DELETE ON health_event, incident, quarantine TO fairlead_loops;
