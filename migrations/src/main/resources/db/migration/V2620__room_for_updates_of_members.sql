SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- A member is inserted when it is placed and updated when it ends, and no index has the changed columns. With a fifth of the
-- page free, three of four updates went to another page and wrote an index entry. Half of a page has room for all of them.
ALTER TABLE member SET (fillfactor = 50);
