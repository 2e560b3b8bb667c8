SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- A node is named without its cluster in most requests.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX node_name ON node (name);
