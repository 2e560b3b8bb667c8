SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- For how many days decisions about the jobs of a tenant are kept; null is a year.
ALTER TABLE tenant_limits ADD COLUMN decision_days bigint CHECK (decision_days > 0);
