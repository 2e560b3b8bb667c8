SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

ALTER TABLE cluster ADD COLUMN settings jsonb NOT NULL DEFAULT '{"topologyLabels": [], "pinning": "DIRECT", "rdmaResource": null}';

-- A report that an earlier version stored, until the supervisor stores its own.
UPDATE cluster
SET capabilities = '{"priorityClasses": false, "storageClasses": [], "reasons": {}}'::jsonb || capabilities;
