SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Longest maxRuntime of a job; null is not limited.
ALTER TABLE tenant_limits ADD COLUMN max_runtime_seconds bigint CHECK (max_runtime_seconds > 0);
