SET LOCAL ROLE fairlead_owner;

-- When a job last said that its work up to then can be taken up again.
ALTER TABLE attempt ADD COLUMN checkpointed_at timestamptz;
