SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- A node that leaves the table is looked for in each table that references it. Operations are few.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX operation_node ON operation (node) WHERE node IS NOT NULL;

-- A new notice is counted with those of its machine.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX announced_notice_node ON announced_notice (cluster, node_name) WHERE NOT withdrawn;

-- A notice is deleted a week after readers dropped it. Its deletion closes or opens no place, and its statement runs on each
-- pass of retention.
DROP TRIGGER note_places ON announced_notice;
CREATE TRIGGER note_places AFTER INSERT OR UPDATE ON announced_notice
  FOR EACH STATEMENT EXECUTE FUNCTION fairlead_note_places();
