SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Why the change was made, as the detail of its row of the audit has it, and the version that it goes back from.
ALTER TABLE config_version ADD COLUMN reason text;
ALTER TABLE config_version ADD COLUMN reverts bigint;
