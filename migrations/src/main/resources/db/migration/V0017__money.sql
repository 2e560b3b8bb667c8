SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- GPU-hours or money that jobs may use in a period: all jobs of the tenant that match every given part. Amounts are
-- thousandths of a GPU times milliseconds, times are milliseconds since 1970.
CREATE TABLE budget (
  id           uuid    PRIMARY KEY,
  tenant       uuid    NOT NULL REFERENCES tenant,
  project      uuid    REFERENCES project ON DELETE CASCADE,
  queue        uuid    REFERENCES quota_node ON DELETE CASCADE,
  used_by      text    COLLATE "C",
  name         text    COLLATE "C" NOT NULL,
  amount       bigint  NOT NULL CHECK (amount >= 0),
  period       text    NOT NULL,
  mode         text    NOT NULL,
  alerts       jsonb   NOT NULL,
  grants       jsonb   NOT NULL,
  version      bigint  NOT NULL,
  -- A budget of money has a currency and an exact amount: thousandths of a GPU times milliseconds times millionths of the
  -- currency per hour. Its amount of GPU-hours is 0.
  currency     text    COLLATE "C",
  money        numeric CHECK (money >= 0),
  -- Counts only jobs with this label, null counts all jobs.
  label_key    text    COLLATE "C",
  label_value  text    COLLATE "C",
  -- Policy for jobs that run beyond the hours of the budget.
  on_exhausted text    CONSTRAINT budget_at_wall_not_null NOT NULL DEFAULT 'FINISH',
  UNIQUE (tenant, name)
);
CREATE INDEX budget_of_project ON budget (project) WHERE project IS NOT NULL;
CREATE INDEX budget_of_queue ON budget (queue) WHERE queue IS NOT NULL;
-- A start finds its budgets by the eight scopes that cover its job, however many budgets the tenant has.
CREATE INDEX budget_of_scope ON budget (
  tenant, coalesce(project, '00000000-0000-0000-0000-000000000000'), coalesce(queue, '00000000-0000-0000-0000-000000000000'),
  coalesce(used_by, ''));
CREATE INDEX budget_of_label ON budget (tenant, label_key, label_value) WHERE label_key IS NOT NULL;
CREATE INDEX budget_of_whole_scope ON budget (
  tenant, coalesce(project, '00000000-0000-0000-0000-000000000000'), coalesce(queue, '00000000-0000-0000-0000-000000000000'),
  coalesce(used_by, '')) WHERE label_key IS NULL;
ALTER TABLE budget ENABLE ROW LEVEL SECURITY;
ALTER TABLE budget FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON budget TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON budget TO fairlead_loops USING (true);
GRANT SELECT ON budget TO fairlead_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON budget TO fairlead_loops;

-- Charges by the start of each period: spent by ended attempts, reserved for attempts that hold GPUs, and the highest
-- announced threshold.
CREATE TABLE budget_use (
  budget         uuid    NOT NULL REFERENCES budget ON DELETE CASCADE,
  tenant         uuid    NOT NULL,
  period_ms      bigint  NOT NULL,
  spent          bigint  NOT NULL,
  reserved       bigint  NOT NULL,
  alerted        int     NOT NULL,
  money_spent    numeric NOT NULL DEFAULT 0,
  money_reserved numeric NOT NULL DEFAULT 0,
  -- Use without a price in the currency, in thousandths of a GPU times milliseconds, which no amount includes.
  unpriced       numeric NOT NULL DEFAULT 0,
  PRIMARY KEY (budget, period_ms)
);
ALTER TABLE budget_use ENABLE ROW LEVEL SECURITY;
ALTER TABLE budget_use FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON budget_use TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON budget_use TO fairlead_loops USING (true);
GRANT SELECT ON budget_use TO fairlead_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON budget_use TO fairlead_loops;

-- Reserved amount of an attempt. Its end deletes the row and records the use in the same transaction. No foreign key to the
-- attempt: it may be in the archive.
CREATE TABLE budget_charge (
  attempt      uuid   NOT NULL,
  budget       uuid   NOT NULL REFERENCES budget ON DELETE CASCADE,
  tenant       uuid   NOT NULL,
  milli        bigint NOT NULL CHECK (milli > 0),
  since_ms     bigint NOT NULL,
  until_ms     bigint NOT NULL,
  -- Reserved price of a millisecond in the unit of the budget. Milli for GPU-hours.
  weight       bigint,
  -- The weight of money applies from this time. The reserved amount before it is in passed, by the start of periods. Without
  -- them the weight applies from the start of the charge.
  priced_ms    bigint,
  passed       jsonb,
  -- Time of the renewal of an hour that the budget no longer had, in milliseconds since 1970, null for none.
  exhausted_ms bigint,
  PRIMARY KEY (attempt, budget)
);
CREATE INDEX budget_charge_due ON budget_charge (budget, until_ms);
CREATE INDEX budget_charge_exhausted ON budget_charge (exhausted_ms) WHERE exhausted_ms IS NOT NULL;
ALTER TABLE budget_charge ENABLE ROW LEVEL SECURITY;
ALTER TABLE budget_charge FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON budget_charge TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON budget_charge TO fairlead_loops USING (true);
GRANT SELECT ON budget_charge TO fairlead_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON budget_charge TO fairlead_loops;

-- Signed monthly statements, as the text that is returned. No role may update or delete them.
CREATE TABLE statement (
  tenant   uuid NOT NULL REFERENCES tenant,
  month    text COLLATE "C" NOT NULL CHECK (month ~ '^[0-9]{4}-(0[1-9]|1[0-2])$'),
  document text NOT NULL,
  PRIMARY KEY (tenant, month)
);
ALTER TABLE statement ENABLE ROW LEVEL SECURITY;
ALTER TABLE statement FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON statement TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON statement TO fairlead_loops USING (true);
GRANT SELECT, INSERT ON statement TO fairlead_app, fairlead_loops;

-- The tenants that pay for capacity that no job used, from a month on. It belongs to the installation. No role may update or
-- delete rows, because statements follow from them.
CREATE TABLE idle_cost_policy (
  seq            bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  from_month     text        COLLATE "C" NOT NULL CHECK (from_month ~ '^[0-9]{4}-[0-9]{2}$'),
  idle           text        NOT NULL CHECK (idle IN ('APART', 'BY_USE', 'BY_QUOTA')),
  out_of_service text        NOT NULL CHECK (out_of_service IN ('APART', 'BY_USE', 'BY_QUOTA')),
  weights        jsonb       NOT NULL,
  recorded_by    text        NOT NULL,
  recorded_at    timestamptz NOT NULL
);
GRANT SELECT, INSERT ON idle_cost_policy TO fairlead_loops;
