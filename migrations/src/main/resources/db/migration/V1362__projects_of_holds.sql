SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- A tenant has at most 200 holds, so that this takes milliseconds.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX legal_hold_project ON legal_hold (project) WHERE project IS NOT NULL;
