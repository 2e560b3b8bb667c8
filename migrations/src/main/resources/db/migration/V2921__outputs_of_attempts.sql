SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Values by name that the program of an attempt reported, at most 64 KiB. They are archived and deleted with the attempt.
ALTER TABLE attempt ADD COLUMN outputs jsonb;
