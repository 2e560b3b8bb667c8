-- The rows of a batch have no key, so this statement refuses a link that seals a row again.
INSERT INTO audit_link (sequence, incarnation, xid, seq, at, content, previous, signature, batch)
SELECT :sequence, :incarnation, CAST(CAST(:xid AS text) AS xid8), :seq, CAST(:at AS timestamptz), decode(:content, 'hex'),
  decode(:previous, 'hex'), decode(:signature, 'hex'), decode(CAST(:batch AS text), 'hex')
WHERE NOT EXISTS (SELECT FROM audit_link WHERE sequence >= :first)
