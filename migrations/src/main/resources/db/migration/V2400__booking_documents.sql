SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- The column is the advance reservation itself, with its id. The owner of the table sees no row while its security is forced.
ALTER TABLE booking NO FORCE ROW LEVEL SECURITY;
UPDATE booking SET content = content || jsonb_build_object('id', jsonb_build_object('value', id));
ALTER TABLE booking FORCE ROW LEVEL SECURITY;
