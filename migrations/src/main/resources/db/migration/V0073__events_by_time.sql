SET LOCAL ROLE fairlead_owner;

-- Where a reader begins who names a time.
CREATE INDEX event_at ON event (at);
