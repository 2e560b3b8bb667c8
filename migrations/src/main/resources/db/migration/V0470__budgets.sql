SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- How much of the fleet's time jobs may use in a period: all jobs of the tenant that meet every part that is given. Amounts
-- are thousandths of a GPU times milliseconds, times are milliseconds since 1970.
CREATE TABLE budget (
  id      uuid   PRIMARY KEY,
  tenant  uuid   NOT NULL REFERENCES tenant,
  project uuid   REFERENCES project ON DELETE CASCADE,
  queue   uuid   REFERENCES quota_node ON DELETE CASCADE,
  used_by text   COLLATE "C",
  name    text   COLLATE "C" NOT NULL,
  amount  bigint NOT NULL CHECK (amount >= 0),
  period  text   NOT NULL,
  mode    text   NOT NULL,
  alerts  jsonb  NOT NULL,
  grants  jsonb  NOT NULL,
  version bigint NOT NULL,
  UNIQUE (tenant, name)
);
CREATE INDEX budget_of_project ON budget (project) WHERE project IS NOT NULL;
CREATE INDEX budget_of_queue ON budget (queue) WHERE queue IS NOT NULL;

-- What is charged to it by the begin of its periods: used by attempts that ended, reserved for those that hold GPUs; and the
-- highest threshold that was announced.
CREATE TABLE budget_use (
  budget    uuid   NOT NULL REFERENCES budget ON DELETE CASCADE,
  tenant    uuid   NOT NULL,
  period_ms bigint NOT NULL,
  spent     bigint NOT NULL,
  reserved  bigint NOT NULL,
  alerted   int    NOT NULL,
  PRIMARY KEY (budget, period_ms)
);

-- What is reserved for an attempt. Its end removes the row and books what was used in the same transaction. No reference to
-- the attempt: it may be in the archive.
CREATE TABLE budget_charge (
  attempt  uuid   NOT NULL,
  budget   uuid   NOT NULL REFERENCES budget ON DELETE CASCADE,
  tenant   uuid   NOT NULL,
  milli    bigint NOT NULL CHECK (milli > 0),
  since_ms bigint NOT NULL,
  until_ms bigint NOT NULL,
  PRIMARY KEY (attempt, budget)
);
CREATE INDEX budget_charge_due ON budget_charge (budget, until_ms);

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['budget', 'budget_use', 'budget_charge'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY one_tenant ON %I TO fairlead_app
      USING (tenant = nullif(current_setting(''fairlead.tenant'', true), '''')::uuid)', name);
    EXECUTE format('CREATE POLICY all_tenants ON %I TO fairlead_loops USING (true)', name);
    EXECUTE format('GRANT SELECT ON %I TO fairlead_app', name);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO fairlead_loops', name);
  END LOOP;
END
$$;
