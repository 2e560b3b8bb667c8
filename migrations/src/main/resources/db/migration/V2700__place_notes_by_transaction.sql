SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Each pass of a supervisor reads the notes of closed places since the oldest open transaction. While a transaction is open for long,
-- these are few among many notes of nodes and jobs.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX change_note_place ON change_note (xid) WHERE kind = 'PLACE';
