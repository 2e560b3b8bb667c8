SET LOCAL ROLE fairlead_owner;

-- An operator raises it when a restored copy becomes the live database.
GRANT UPDATE (incarnation) ON installation TO fairlead_loops;
