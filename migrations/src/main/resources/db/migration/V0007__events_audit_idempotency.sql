SET LOCAL ROLE fairlead_owner;

CREATE SEQUENCE event_seq AS bigint;

-- Position is (incarnation, xid, seq); readers stop below the oldest running transaction. Days are partitions.
CREATE TABLE event (
  at           timestamptz NOT NULL DEFAULT now(),
  incarnation  smallint    NOT NULL,
  xid          xid8        NOT NULL DEFAULT pg_current_xact_id(),
  seq          bigint      NOT NULL DEFAULT nextval('event_seq'),
  type         text        NOT NULL,
  subject_kind text        NOT NULL,
  subject      uuid        NOT NULL,
  version      bigint      NOT NULL,
  actor        text        NOT NULL,
  tenant       uuid        NOT NULL,
  project      uuid,
  data         jsonb       NOT NULL,
  PRIMARY KEY (incarnation, xid, seq, at)
) PARTITION BY RANGE (at);
ALTER SEQUENCE event_seq OWNED BY event.seq;
CREATE TABLE event_rest PARTITION OF event DEFAULT;
CREATE INDEX event_subject ON event (subject, incarnation, xid, seq);

CREATE SEQUENCE audit_seq AS bigint;

-- Only added to; days are partitions.
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
  PRIMARY KEY (seq, at)
) PARTITION BY RANGE (at);
ALTER SEQUENCE audit_seq OWNED BY audit_record.seq;
CREATE TABLE audit_record_rest PARTITION OF audit_record DEFAULT;
CREATE INDEX audit_record_newest ON audit_record (tenant, at DESC, seq DESC);

CREATE TABLE idempotency_key (
  tenant       uuid        NOT NULL,
  principal    text        COLLATE "C" NOT NULL,
  operation    text        COLLATE "C" NOT NULL,
  key          text        COLLATE "C" NOT NULL,
  request_hash text        NOT NULL,
  reference    text        NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant, principal, operation, key)
);
CREATE INDEX idempotency_key_age ON idempotency_key (created_at);
