SET LOCAL ROLE fairlead_owner;

-- A monitor reports for one cluster. No reference: the id of a cluster that is gone never comes back.
ALTER TABLE api_token ADD COLUMN cluster uuid;
