-- Holders lose their leases at the next renewal, and whoever takes one over gets a term of the new incarnation.
WITH raised AS (
  UPDATE installation SET incarnation = incarnation + 1 WHERE incarnation = :from RETURNING incarnation
), released AS (
  UPDATE lease SET released = true WHERE EXISTS (SELECT 1 FROM raised)
)
SELECT incarnation FROM raised
