SET LOCAL ROLE fairlead_owner;

-- Members come to an attempt that runs, and leave one that runs on. Null for all others.
ALTER TABLE member ADD COLUMN standing text CHECK (standing IN ('JOINING', 'LEAVING', 'LEFT'));
ALTER TABLE member ADD COLUMN standing_since timestamptz;

-- Their supervisor looks for those that come and go.
CREATE INDEX member_moving ON member (attempt) WHERE standing IN ('JOINING', 'LEAVING');
