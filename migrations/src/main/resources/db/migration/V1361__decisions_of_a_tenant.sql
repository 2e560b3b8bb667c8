SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Decisions of a tenant by time, page by page: other tenants' are not looked at. While it is made, which takes about a second for
-- a million rows, decisions wait, and placements with them.
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX job_decision_of_tenant ON job_decision (tenant, at, job, id);
