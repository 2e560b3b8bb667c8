SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Events of one code on one device within three minutes are one row, from at to last_at, and so many at least. Rows of events that
-- are stored alone have no last_at.
ALTER TABLE health_event ADD COLUMN last_at timestamptz;
ALTER TABLE health_event ADD COLUMN events integer NOT NULL DEFAULT 1;
