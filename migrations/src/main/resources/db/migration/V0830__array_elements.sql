SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Most elements of one array job; null is the default.
ALTER TABLE tenant_limits ADD COLUMN array_elements bigint CHECK (array_elements > 0);
