SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- A tenant's statement reads serial numbers, but not which GPUs are missing or where the GPUs of others are.
REVOKE SELECT ON gpu_device FROM fairlead_app;
GRANT SELECT (uuid, serial) ON gpu_device TO fairlead_app;
