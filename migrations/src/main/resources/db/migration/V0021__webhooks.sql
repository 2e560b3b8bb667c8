SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Position and health of each webhook. Address and filter are its document.
CREATE TABLE webhook (
  id             uuid        PRIMARY KEY,
  kind           text        COLLATE "C" NOT NULL DEFAULT 'WEBHOOK' CHECK (kind = 'WEBHOOK'),
  document       text        COLLATE "C" NOT NULL,
  tenant         uuid        NOT NULL REFERENCES tenant,
  status         text        NOT NULL CHECK (status IN ('ACTIVE', 'PAUSED', 'DISABLED')),
  reason         text        NOT NULL,
  transaction    bigint      NOT NULL,
  sequence       bigint      NOT NULL,
  secret_version int         NOT NULL CHECK (secret_version > 0),
  previous_until timestamptz,
  failures       int         NOT NULL,
  failing_since  timestamptz,
  next_at        timestamptz NOT NULL,
  delivered      bigint      NOT NULL,
  delivered_at   timestamptz,
  epoch          bigint      NOT NULL,
  UNIQUE (kind, document),
  FOREIGN KEY (kind, document) REFERENCES config_document ON DELETE CASCADE
);
CREATE INDEX webhook_of_tenant ON webhook (tenant);
ALTER TABLE webhook ENABLE ROW LEVEL SECURITY;
ALTER TABLE webhook FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON webhook TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON webhook TO fairlead_loops USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON webhook TO fairlead_app, fairlead_loops;

-- Events that a webhook did not accept: at most one of each object waits here, and later events of the object wait in the
-- log.
CREATE TABLE webhook_delivery (
  webhook       uuid        NOT NULL REFERENCES webhook ON DELETE CASCADE,
  tenant        uuid        NOT NULL REFERENCES tenant,
  subject_kind  text        NOT NULL,
  subject       uuid        NOT NULL,
  transaction   bigint      NOT NULL,
  sequence      bigint      NOT NULL,
  type          text        NOT NULL,
  event_at      timestamptz NOT NULL,
  attempts      int         NOT NULL,
  first_at      timestamptz NOT NULL,
  next_at       timestamptz NOT NULL,
  dead          boolean     NOT NULL,
  answer_status int         NOT NULL,
  answer_text   text        NOT NULL,
  PRIMARY KEY (webhook, transaction, sequence)
);
CREATE UNIQUE INDEX webhook_delivery_waiting ON webhook_delivery (webhook, subject_kind, subject) WHERE NOT dead;
CREATE INDEX webhook_delivery_dead ON webhook_delivery (next_at) WHERE dead;
CREATE INDEX webhook_delivery_of_tenant ON webhook_delivery (tenant);
ALTER TABLE webhook_delivery ENABLE ROW LEVEL SECURITY;
ALTER TABLE webhook_delivery FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON webhook_delivery TO fairlead_app
  USING (tenant = nullif(current_setting('fairlead.tenant', true), '')::uuid);
CREATE POLICY all_tenants ON webhook_delivery TO fairlead_loops USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON webhook_delivery TO fairlead_app, fairlead_loops;
