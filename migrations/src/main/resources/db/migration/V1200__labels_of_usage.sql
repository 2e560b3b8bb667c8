SET LOCAL ROLE fairlead_owner;

-- As in V0692: whatever writes hours holds this row for as long as it reckons.
SET LOCAL lock_timeout = '60s';
SELECT one FROM usage_mark FOR NO KEY UPDATE;
SET LOCAL lock_timeout = '5s';

-- The keys of labels by which the use of a tenant is added up, each from an hour on that had not begun when they were named.
-- Hours follow from them also when they are reckoned again, so a row is not removed.
CREATE TABLE usage_label (
  tenant   uuid   NOT NULL REFERENCES tenant ON DELETE CASCADE,
  from_ms  bigint NOT NULL,
  keys     text[] COLLATE "C" NOT NULL CHECK (cardinality(keys) <= 3),
  named_by text   NOT NULL,
  PRIMARY KEY (tenant, from_ms)
);
ALTER TABLE usage_label ENABLE ROW LEVEL SECURITY;
ALTER TABLE usage_label FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON usage_label TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON usage_label TO fairlead_loops USING (true);
GRANT SELECT, INSERT, UPDATE ON usage_label TO fairlead_app, fairlead_loops;

-- What of usage_hour and usage_day has any of these labels; the rest of a sum there has none. Clusters are left out.
CREATE TABLE usage_label_hour (
  hour_ms  bigint NOT NULL,
  tenant   uuid   NOT NULL,
  project  uuid   NOT NULL,
  queue    uuid   NOT NULL,
  used_by  text   COLLATE "C" NOT NULL,
  pool     text   COLLATE "C" NOT NULL,
  model    text   COLLATE "C" NOT NULL,
  capacity text   COLLATE "C" NOT NULL,
  labels   jsonb  NOT NULL,
  milli_ms bigint NOT NULL CHECK (milli_ms >= 0),
  PRIMARY KEY (tenant, hour_ms, project, queue, used_by, pool, model, capacity, labels)
);
CREATE INDEX usage_label_hour_of_all ON usage_label_hour (hour_ms);
CREATE TABLE usage_label_day (
  day_ms   bigint NOT NULL,
  tenant   uuid   NOT NULL,
  project  uuid   NOT NULL,
  queue    uuid   NOT NULL,
  used_by  text   COLLATE "C" NOT NULL,
  pool     text   COLLATE "C" NOT NULL,
  model    text   COLLATE "C" NOT NULL,
  capacity text   COLLATE "C" NOT NULL,
  labels   jsonb  NOT NULL,
  milli_ms bigint NOT NULL CHECK (milli_ms >= 0),
  PRIMARY KEY (tenant, day_ms, project, queue, used_by, pool, model, capacity, labels)
);
CREATE INDEX usage_label_day_of_all ON usage_label_day (day_ms);

DO $$
DECLARE
  t text;
BEGIN
  FOREACH t IN ARRAY ARRAY['usage_label_hour', 'usage_label_day'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY one_tenant ON %I TO fairlead_app USING (tenant = current_setting(''fairlead.tenant'')::uuid)', t);
    EXECUTE format('CREATE POLICY all_tenants ON %I TO fairlead_loops USING (true)', t);
    EXECUTE format('GRANT SELECT ON %I TO fairlead_app', t);
    EXECUTE format('GRANT SELECT, INSERT, DELETE ON %I TO fairlead_loops', t);
  END LOOP;
END
$$;

-- Labels of an hour that are written again take its day out, too.
CREATE TRIGGER unsum_inserted AFTER INSERT ON usage_label_hour REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION fairlead_unsum_days();
CREATE TRIGGER unsum_updated AFTER UPDATE ON usage_label_hour REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION fairlead_unsum_days();
CREATE TRIGGER unsum_moved AFTER UPDATE ON usage_label_hour REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION fairlead_unsum_days();
CREATE TRIGGER unsum_deleted AFTER DELETE ON usage_label_hour REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION fairlead_unsum_days();
CREATE TRIGGER unsum_truncated AFTER TRUNCATE ON usage_label_hour
  FOR EACH STATEMENT EXECUTE FUNCTION fairlead_unsum_days();

-- Whether the day is in usage_label_day, too: days of before have no labels, those that a replica of before adds up lack them.
ALTER TABLE usage_day_summed ADD COLUMN labels boolean NOT NULL DEFAULT true;
ALTER TABLE usage_day_summed ALTER COLUMN labels SET DEFAULT false;
