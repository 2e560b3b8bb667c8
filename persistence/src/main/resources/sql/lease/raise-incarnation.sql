-- Holders lose their leases at the next renewal, and their successors get an epoch of the new incarnation. Readers of events treat all
-- events of an earlier incarnation as complete, so its last writers end first.
WITH raised AS (
  UPDATE installation SET incarnation = incarnation + 1
  WHERE incarnation = :from AND (SELECT fairlead_hold_events())
  RETURNING incarnation
), released AS (
  UPDATE lease SET released = true WHERE EXISTS (SELECT 1 FROM raised)
)
SELECT incarnation FROM raised
