SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Which request it was, and how many alike a row stands for: a batch, or denials of one caller in one second. Older rows
-- have no request.
ALTER TABLE audit_record ADD COLUMN count integer NOT NULL DEFAULT 1;
ALTER TABLE audit_record ADD COLUMN request_id text;
ALTER TABLE audit_record ADD COLUMN address text;
