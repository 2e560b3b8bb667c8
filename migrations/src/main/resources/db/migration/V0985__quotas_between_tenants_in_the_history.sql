SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Quotas between tenants are a kind of their own, which owners of a tenant do not read. The owner of the table sees no row while
-- its security is forced.
ALTER TABLE config_version NO FORCE ROW LEVEL SECURITY;
UPDATE config_version SET kind = 'FLEET_QUOTA' WHERE operation IN ('updateFleetLimits', 'updateFleetQuota');
ALTER TABLE config_version FORCE ROW LEVEL SECURITY;
