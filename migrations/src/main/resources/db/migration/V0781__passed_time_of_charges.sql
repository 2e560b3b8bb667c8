SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- The weight of a charge of money counts from this moment on; what is reserved of the time before it, by the begin of
-- periods. Without them it counts from the begin of the charge.
ALTER TABLE budget_charge ADD COLUMN priced_ms bigint, ADD COLUMN passed jsonb;
