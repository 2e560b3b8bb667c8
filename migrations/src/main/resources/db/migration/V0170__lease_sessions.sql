SET LOCAL ROLE fairlead_owner;

-- The database session that the holder's process keeps open, by the name of a lock that it holds, and the start of the
-- server that it is on. Where that server runs on and the lock is free, the process has ended.
ALTER TABLE lease ADD COLUMN session bigint, ADD COLUMN session_server timestamptz;
