SET LOCAL ROLE fairlead_owner;

-- What pods of a project may reach beside names and their gang: CIDRs with blanks between; null where egress is open.
ALTER TABLE project ADD COLUMN strict_egress text;

-- Of the few that are read every half minute for each cluster. No row is in it yet, so that writers wait for one look at the table.
CREATE INDEX project_strict_egress ON project (namespace) WHERE strict_egress IS NOT NULL;
