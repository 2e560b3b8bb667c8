SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- squawk-ignore-file ban-drop-constraint, ban-drop-index, require-concurrent-index-creation, require-concurrent-index-deletion
-- Each row that is inserted writes an entry to each index of its table, and so does each update of an indexed column. The indexes below
-- are gone, because others serve their readers.

-- Lists by time of all states merge the indexes by phase.
DROP INDEX job_newest;

-- Counts of waiting jobs by tenant, and of those of a user in a queue. Equal keys share one entry. Placed jobs are counted from the table.
DROP INDEX job_counts_active;
DROP INDEX job_queued_of_user;
CREATE INDEX job_waiting ON job (tenant, queue, submitted_by, project, gpu_milli) WHERE phase = 'QUEUED';

-- A whole device has one holder, and the null of a share is distinct from others.
CREATE UNIQUE INDEX allocation_holder ON allocation (node, gpu, (CASE WHEN milli = 1000 THEN true END));
DROP INDEX allocation_whole;
DROP INDEX allocation_slot;

-- Tenants are never deleted, and other tables of jobs do not refer to them either.
ALTER TABLE log_member DROP CONSTRAINT log_member_tenant_fkey;
DROP INDEX log_member_of_tenant;

-- Records are read by tenant and time, and in the order of the chain. The sequence makes their numbers unique.
ALTER TABLE audit_record DROP CONSTRAINT audit_record_pkey;
