SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- How many jobs of a project and queue waited for a reason, as the loop that looks saw it, in milliseconds since 1970. The last
-- span of these is open while the number stays the same. No reference to project or queue: it outlives both.
CREATE TABLE wait_interval (
  tenant     uuid   NOT NULL,
  project    uuid   NOT NULL,
  queue      uuid   NOT NULL,
  reason     text   COLLATE "C" NOT NULL,
  jobs       int    NOT NULL CHECK (jobs > 0),
  started_ms bigint NOT NULL,
  ended_ms   bigint CHECK (ended_ms >= started_ms)
);
CREATE UNIQUE INDEX wait_interval_open ON wait_interval (tenant, project, queue, reason) WHERE ended_ms IS NULL;
CREATE INDEX wait_interval_ended ON wait_interval (ended_ms) WHERE ended_ms IS NOT NULL;
CREATE INDEX wait_interval_spans ON wait_interval USING gist (int8range(started_ms, ended_ms));

-- What these add up to by the hour: jobs times milliseconds.
CREATE TABLE wait_hour (
  hour_ms bigint NOT NULL,
  tenant  uuid   NOT NULL,
  project uuid   NOT NULL,
  queue   uuid   NOT NULL,
  reason  text   COLLATE "C" NOT NULL,
  wait_ms bigint NOT NULL CHECK (wait_ms >= 0),
  PRIMARY KEY (tenant, hour_ms, project, queue, reason)
);
CREATE INDEX wait_hour_of_all ON wait_hour (hour_ms);

DO $$
DECLARE
  t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['wait_interval', 'wait_hour'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY one_tenant ON %I TO fairlead_app USING (tenant = current_setting(''fairlead.tenant'')::uuid)', t);
    EXECUTE format('CREATE POLICY all_tenants ON %I TO fairlead_loops USING (true)', t);
    EXECUTE format('GRANT SELECT ON %I TO fairlead_app', t);
    EXECUTE format('GRANT SELECT, INSERT, DELETE ON %I TO fairlead_loops', t);
  END LOOP;
END
$$;
GRANT UPDATE (ended_ms) ON wait_interval TO fairlead_loops;
