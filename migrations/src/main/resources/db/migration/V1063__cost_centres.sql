SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Which account pays what a project uses; null for none.
ALTER TABLE project ADD COLUMN cost_centre text;
