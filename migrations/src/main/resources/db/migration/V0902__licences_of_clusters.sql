SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Name of the only cluster on which it can be held; null is all clusters together.
ALTER TABLE licence ADD COLUMN cluster text COLLATE "C";
