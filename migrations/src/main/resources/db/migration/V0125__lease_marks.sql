SET LOCAL ROLE fairlead_owner;

-- How far this database has come with what the lease stands for. A cluster keeps the mark too: one that is higher there
-- says that this database is an older state of the one that acted.
ALTER TABLE lease ADD COLUMN mark bigint NOT NULL DEFAULT 0;
UPDATE lease SET mark = incarnation::bigint << 32 FROM installation;
