SET LOCAL lock_timeout = '5s';
SET LOCAL ROLE fairlead_owner;

-- Name, project and user of the job of an event, and the place of its attempt, so that a reader of events asks for nothing else.
-- Null for events of budgets.
ALTER TABLE event ADD COLUMN context jsonb;
