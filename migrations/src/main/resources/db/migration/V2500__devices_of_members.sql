SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Devices of a member as sources reported them, with the source of each list.
ALTER TABLE member ADD COLUMN devices jsonb NOT NULL DEFAULT '[]';
