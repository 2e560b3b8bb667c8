SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Whether the spec may name dependencies or volumes. A search in the specs of many jobs reads only these, because a spec is out of line.
-- No patch changes either. Existing jobs and those of a previous version have true, and their specs are searched.
ALTER TABLE job ADD COLUMN depends boolean NOT NULL DEFAULT true;
ALTER TABLE job ADD COLUMN mounts boolean NOT NULL DEFAULT true;
