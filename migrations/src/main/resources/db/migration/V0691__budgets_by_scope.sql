SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- A start finds its budgets by the eight scopes that cover its job, however many budgets its tenant has. There are few rows,
-- and locks of rows do not wait for this.
CREATE INDEX budget_of_scope ON budget (
  tenant, coalesce(project, '00000000-0000-0000-0000-000000000000'), coalesce(queue, '00000000-0000-0000-0000-000000000000'),
  coalesce(used_by, ''));
