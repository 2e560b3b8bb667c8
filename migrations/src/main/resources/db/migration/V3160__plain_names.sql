SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- squawk-ignore renaming-table
ALTER TABLE booking RENAME TO advance_reservation;
-- squawk-ignore renaming-table
ALTER TABLE booking_node RENAME TO advance_reservation_node;
-- squawk-ignore renaming-column
ALTER TABLE advance_reservation_node RENAME COLUMN booking TO advance_reservation;
-- squawk-ignore renaming-object
ALTER INDEX booking_ends RENAME TO advance_reservation_ends;
-- squawk-ignore renaming-object
ALTER INDEX booking_tenant RENAME TO advance_reservation_tenant;
-- squawk-ignore renaming-object
ALTER INDEX booking_node_of RENAME TO advance_reservation_node_of;
-- squawk-ignore renaming-object
ALTER TABLE advance_reservation_node RENAME CONSTRAINT booking_node_once TO advance_reservation_node_once;

-- squawk-ignore renaming-column
ALTER TABLE budget RENAME COLUMN at_wall TO on_exhausted;
-- squawk-ignore renaming-column
ALTER TABLE budget_charge RENAME COLUMN wall_ms TO exhausted_ms;
-- squawk-ignore renaming-object
ALTER INDEX budget_charge_at_wall RENAME TO budget_charge_exhausted;

-- squawk-ignore renaming-column
ALTER TABLE attempt RENAME COLUMN unseen_since TO unreachable_since;

-- The owner of a table sees no row while row-level security is forced.
ALTER TABLE advance_reservation NO FORCE ROW LEVEL SECURITY;
UPDATE advance_reservation
SET content = (content - 'overrun') || jsonb_build_object('leftoverPolicy', content->'overrun');
ALTER TABLE advance_reservation FORCE ROW LEVEL SECURITY;
ALTER TABLE pool NO FORCE ROW LEVEL SECURITY;
UPDATE pool
SET windows = (windows - 'overrun') || jsonb_build_object('leftoverPolicy', windows->'overrun')
WHERE windows ? 'overrun';
ALTER TABLE pool FORCE ROW LEVEL SECURITY;
UPDATE node SET pool_windows = replace(pool_windows, '"overrun"', '"leftoverPolicy"')
WHERE pool_windows LIKE '%"overrun"%';

-- squawk-ignore ban-drop-constraint
ALTER TABLE job_decision DROP CONSTRAINT job_decision_kind_check;
ALTER TABLE job_decision NO FORCE ROW LEVEL SECURITY;
UPDATE job_decision SET kind = CASE kind WHEN 'SEEN' THEN 'REACHABLE' ELSE 'UNREACHABLE' END
WHERE kind IN ('SEEN', 'UNSEEN');
ALTER TABLE job_decision FORCE ROW LEVEL SECURITY;
ALTER TABLE job_decision ADD CONSTRAINT job_decision_kind_check
  CHECK (kind IN ('PLACED', 'WAITED', 'EVICTED', 'MOVED', 'UNREACHABLE', 'REACHABLE')) NOT VALID;

-- A row of a lease that no process takes would remain a problem in the diagnosis.
UPDATE lease SET name = 'event-publisher' WHERE name = 'relay';
UPDATE fence SET name = 'event-publisher' WHERE name = 'relay';
