SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Position, time and hash of each row of a link that seals several. Without it the link seals the row of its columns, as older
-- links do.
ALTER TABLE audit_link ADD COLUMN batch bytea;
GRANT SELECT (sequence) ON audit_link TO fairlead_sealer;
