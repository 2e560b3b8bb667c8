SET LOCAL ROLE fairlead_owner;

-- Version of the job at which its spec changed last, 0 for never: a reader that knows an older version reads the spec anew.
ALTER TABLE job ADD COLUMN specified bigint NOT NULL DEFAULT 0;
