SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Where rows stand in the chain: as events do, by the incarnation and the transaction that wrote them. Stable, so that older
-- rows get the incarnation of now without being written again.
CREATE FUNCTION fairlead_incarnation() RETURNS smallint
  LANGUAGE sql STABLE
  RETURN (SELECT i.incarnation FROM installation i);
ALTER TABLE audit_record ADD COLUMN incarnation smallint NOT NULL DEFAULT fairlead_incarnation();
CREATE INDEX audit_record_chain ON audit_record (incarnation, xid, seq);

-- All that a row says, in one form that depends on no setting. What is sealed was hashed in this form: a later column needs a
-- form of its own beside it.
CREATE VIEW audit_content WITH (security_invoker = true) AS
SELECT incarnation, xid, seq, at,
  jsonb_build_object('at', extract(epoch FROM at), 'incarnation', incarnation, 'xid', xid::text, 'seq', seq, 'tenant', tenant,
    'actor', actor, 'administrator', administrator, 'operation', operation, 'subject', subject, 'allowed', allowed,
    'count', count, 'requestId', request_id, 'address', address, 'detail', detail)::text AS content
FROM audit_record;

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

-- How far the chain reaches, signed; one for each turn of the sealer that found rows.
CREATE TABLE audit_head (
  sequence  bigint      PRIMARY KEY,
  link      bytea       NOT NULL,
  signature bytea       NOT NULL,
  sealed_at timestamptz NOT NULL DEFAULT now()
);

-- They say nothing of a tenant, and the role of a tenant sees none of them. Only the sealer adds; nothing changes or removes.
GRANT SELECT ON audit_content, audit_link, audit_head TO fairlead_loops;
GRANT INSERT ON audit_link, audit_head TO fairlead_sealer;
