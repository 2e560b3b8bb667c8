SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Each event wrote an entry, and only readers that name a time used it. They find their first event by its position, because times rise
-- with positions.
DROP INDEX event_at;
