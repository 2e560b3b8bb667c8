SET LOCAL ROLE fairlead_owner;

-- From when the start of an attempt counts, and since when it cannot be seen.
ALTER TABLE attempt ADD COLUMN launched_at timestamptz;
ALTER TABLE attempt ADD COLUMN unseen_since timestamptz;

-- When the spec of a job was last changed: its supervisor looks at what runs of it again.
ALTER TABLE job ADD COLUMN patched_at timestamptz;
CREATE INDEX job_patched ON job (patched_at) WHERE patched_at IS NOT NULL;
