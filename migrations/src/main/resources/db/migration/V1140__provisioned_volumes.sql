SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Null where an earlier version stored the claim.
ALTER TABLE volume ADD COLUMN provisioned_at timestamptz;
