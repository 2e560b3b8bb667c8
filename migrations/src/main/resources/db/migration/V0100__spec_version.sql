SET LOCAL ROLE fairlead_owner;

-- The version of the job at which its spec was last written: who knows a spec since then need not read it again.
ALTER TABLE job ADD COLUMN spec_version bigint NOT NULL DEFAULT 0;
