SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Each event wrote an entry, and only readers that name a time used it. They find their first event by its position, because times rise
-- with positions.
-- An index of a partitioned table cannot be dropped concurrently, and the lock waits five seconds at most.
-- squawk-ignore require-concurrent-index-deletion
DROP INDEX event_at;
