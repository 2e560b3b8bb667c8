SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- squawk-ignore-file require-concurrent-index-creation
-- One row: the number of creations and revocations of API keys. Its lock gives them numbers in the order of their commits, so that a
-- gate that read up to a number misses no change.
CREATE TABLE service_key_version (
  one    boolean PRIMARY KEY DEFAULT true CHECK (one),
  number bigint  NOT NULL
);
INSERT INTO service_key_version (number) VALUES (1);
GRANT SELECT ON service_key_version TO fairlead_loops;

-- Keys from before this column are read as a whole.
ALTER TABLE service_key ADD COLUMN changed bigint NOT NULL DEFAULT 0;
CREATE INDEX service_key_changed ON service_key (changed);

-- A trigger, because processes of the version before this one create and revoke keys too.
CREATE FUNCTION fairlead_number_service_key() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE service_key_version SET number = number + 1 RETURNING number INTO NEW.changed;
  RETURN NEW;
END
$$;
CREATE TRIGGER service_key_numbered BEFORE INSERT OR UPDATE OF revoked_at ON service_key
  FOR EACH ROW EXECUTE FUNCTION fairlead_number_service_key();

-- Pages of a report by hour.
CREATE INDEX service_key_hour_pages ON service_key_hour (service, hour, name);

-- Bare id of the model service if a replica of it held the GPUs, otherwise null. The cost of the service is summed from these rows.
ALTER TABLE usage_interval ADD COLUMN service text COLLATE "C";
CREATE INDEX usage_interval_of_service ON usage_interval (service, ended_ms) WHERE service IS NOT NULL;
