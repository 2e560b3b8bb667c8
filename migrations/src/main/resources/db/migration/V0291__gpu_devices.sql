SET LOCAL ROLE fairlead_owner;

-- GPUs as things: apart from gpu_slot, whose rows are places of a node. No reference to node or cluster: the life of a
-- device is longer than theirs.
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

CREATE TABLE gpu_change (
  n    bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  gpu  text        COLLATE "C" NOT NULL,
  at   timestamptz NOT NULL,
  kind text        NOT NULL,
  text text        NOT NULL
);
CREATE INDEX gpu_change_of_gpu ON gpu_change (gpu, at DESC, n DESC);
CREATE INDEX quarantine_of_any_incident ON quarantine (incident) WHERE incident IS NOT NULL;

GRANT SELECT, INSERT, UPDATE, DELETE ON gpu_device, gpu_change TO fairlead_loops;
