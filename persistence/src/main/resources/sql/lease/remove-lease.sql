WITH gone AS (
  DELETE FROM lease WHERE name = :name
  RETURNING term, mark
)
UPDATE installation
SET term_floor = greatest(term_floor, gone.term), mark_floor = greatest(mark_floor, gone.mark)
FROM gone
