SET LOCAL ROLE fairlead_owner;

-- What an attempt was asked before it is stopped: since when, until when, and how the wait ended.
ALTER TABLE attempt ADD COLUMN checkpoint_request jsonb;
