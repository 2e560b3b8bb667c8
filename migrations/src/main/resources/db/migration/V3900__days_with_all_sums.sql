SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- A day has the sums of use, spill and labels, or none.
DELETE FROM usage_day_summed WHERE NOT (spill AND labels);
-- squawk-ignore ban-drop-column
ALTER TABLE usage_day_summed DROP COLUMN spill, DROP COLUMN labels;
REVOKE UPDATE ON usage_day_summed FROM fairlead_loops;
