INSERT INTO audit_link (sequence, incarnation, xid, seq, at, content, previous, signature)
SELECT r.sequence, r.incarnation, r.xid, r.seq, r.at, decode(r.content, 'hex'), decode(r.previous, 'hex'), decode(r.signature, 'hex')
FROM json_to_recordset(CAST(:rows AS json)) AS r (
  sequence bigint, incarnation smallint, xid xid8, seq bigint, at timestamptz, content text, previous text, signature text)
