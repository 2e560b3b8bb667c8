SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- What becomes of a job that runs on hours which its budget does not have: versions of before let it finish.
ALTER TABLE budget ADD COLUMN at_wall text NOT NULL DEFAULT 'FINISH';

-- When an hour was renewed that the budget did not have and does not let run, in milliseconds since 1970; null for none.
-- There is a row for each running attempt that a budget counts, so the index is built in no time.
ALTER TABLE budget_charge ADD COLUMN wall_ms bigint;
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX budget_charge_at_wall ON budget_charge (wall_ms) WHERE wall_ms IS NOT NULL;
