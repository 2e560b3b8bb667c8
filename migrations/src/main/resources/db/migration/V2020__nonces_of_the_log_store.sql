SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- The newest nonces that this database wrote into the mark of its log store. A copy of the database does not have those that
-- are drawn after it was made, so a mark with an unknown nonce was written by another database.
ALTER TABLE installation ADD COLUMN log_nonces text[] NOT NULL DEFAULT '{}';
GRANT UPDATE (log_nonces) ON installation TO fairlead_loops;
