SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- A node that leaves the table is looked for in each table that references it. Operations are few.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX operation_node ON operation (node) WHERE node IS NOT NULL;
