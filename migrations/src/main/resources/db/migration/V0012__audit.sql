SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

CREATE SEQUENCE audit_seq AS bigint;
GRANT USAGE ON SEQUENCE audit_seq TO fairlead_app, fairlead_loops;

-- Append-only. A row may stand for several equal requests: a batch, or denials of one caller within a second.
CREATE TABLE audit_record (
  at            timestamptz NOT NULL DEFAULT now(),
  seq           bigint      NOT NULL DEFAULT nextval('audit_seq'),
  xid           xid8        NOT NULL DEFAULT pg_current_xact_id(),
  tenant        uuid        NOT NULL,
  actor         text        NOT NULL,
  administrator boolean     NOT NULL,
  operation     text        NOT NULL,
  subject       text        NOT NULL,
  allowed       boolean     NOT NULL,
  detail        jsonb       NOT NULL,
  count         int         NOT NULL DEFAULT 1,
  request_id    text,
  address       text,
  incarnation   smallint    NOT NULL DEFAULT fairlead_incarnation(),
  PRIMARY KEY (seq, at)
) PARTITION BY RANGE (at);
ALTER SEQUENCE audit_seq OWNED BY audit_record.seq;
CREATE TABLE audit_record_rest PARTITION OF audit_record DEFAULT;
CREATE INDEX audit_record_newest ON audit_record (tenant, at DESC, seq DESC);
-- The order of the chain.
CREATE INDEX audit_record_chain ON audit_record (incarnation, xid, seq);
ALTER TABLE audit_record ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_record FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON audit_record TO fairlead_app USING (tenant = current_setting('fairlead.tenant')::uuid);
CREATE POLICY all_tenants ON audit_record TO fairlead_loops USING (true);
-- The sealer reads the rows that it chains.
CREATE POLICY all_tenants_sealed ON audit_record TO fairlead_sealer USING (true);
GRANT SELECT, INSERT ON audit_record TO fairlead_app, fairlead_loops;
GRANT SELECT ON audit_record TO fairlead_sealer;

-- Links that seal the rows of the audit. The signature is an HMAC of all other columns. Its key is not in the database.
CREATE TABLE audit_link (
  sequence    bigint      PRIMARY KEY,
  incarnation smallint    NOT NULL,
  xid         xid8        NOT NULL,
  seq         bigint      NOT NULL,
  at          timestamptz NOT NULL,
  content     bytea       NOT NULL,
  previous    bytea       NOT NULL,
  signature   bytea       NOT NULL,
  -- Position, time and hash of each row of a link that seals several. Without it the link seals the row of its columns.
  batch       bytea
);
-- Only the sealer inserts. No role of the service changes or deletes a link, and the role of a tenant sees none.
GRANT SELECT ON audit_link TO fairlead_loops;
GRANT INSERT ON audit_link TO fairlead_sealer;
GRANT SELECT (sequence) ON audit_link TO fairlead_sealer;

-- Signed ends of the chain, one for each turn of the sealer that found rows. The newest few are retained.
CREATE TABLE audit_head (
  sequence  bigint      PRIMARY KEY,
  link      bytea       NOT NULL,
  signature bytea       NOT NULL,
  sealed_at timestamptz NOT NULL DEFAULT now()
);
GRANT SELECT ON audit_head TO fairlead_loops;
GRANT INSERT, DELETE ON audit_head TO fairlead_sealer;
GRANT SELECT (sequence) ON audit_head TO fairlead_sealer;
