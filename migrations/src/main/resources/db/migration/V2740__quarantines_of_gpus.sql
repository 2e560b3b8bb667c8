SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- The UUID of the only device that the quarantine excludes, null for the whole node. An older version reads the row as a
-- quarantine of the node.
ALTER TABLE quarantine ADD COLUMN gpu text COLLATE "C";
-- A quarantined slot is FAILED for an older version, which does not know the state.
ALTER TABLE gpu_slot ADD COLUMN quarantined boolean NOT NULL DEFAULT false;
