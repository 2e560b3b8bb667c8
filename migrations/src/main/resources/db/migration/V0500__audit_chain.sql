SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Where rows stand in the chain: as events do, by the incarnation and the transaction that wrote them. Stable, so that older
-- rows get the incarnation of now without being written again.
CREATE FUNCTION fairlead_incarnation() RETURNS smallint
  LANGUAGE sql STABLE
  RETURN (SELECT i.incarnation FROM installation i);
ALTER TABLE audit_record ADD COLUMN incarnation smallint NOT NULL DEFAULT fairlead_incarnation();

-- One for each row of the audit. signature is an HMAC of all the other columns; its key is not in the database.
CREATE TABLE audit_link (
  sequence    bigint      PRIMARY KEY,
  incarnation smallint    NOT NULL,
  xid         xid8        NOT NULL,
  seq         bigint      NOT NULL,
  at          timestamptz NOT NULL,
  content     bytea       NOT NULL,
  previous    bytea       NOT NULL,
  signature   bytea       NOT NULL
);

-- How far the chain reaches, signed; one for each turn of the sealer that found rows, the newest few.
CREATE TABLE audit_head (
  sequence  bigint      PRIMARY KEY,
  link      bytea       NOT NULL,
  signature bytea       NOT NULL,
  sealed_at timestamptz NOT NULL DEFAULT now()
);

-- They say nothing of a tenant, and the role of a tenant sees none of them. Only the sealer adds, and removes heads that newer ones
-- stand for; nothing changes or removes a link.
GRANT SELECT ON audit_link, audit_head TO fairlead_loops;
GRANT INSERT ON audit_link, audit_head TO fairlead_sealer;
GRANT SELECT (sequence), DELETE ON audit_head TO fairlead_sealer;
