WITH gone AS (
  DELETE FROM lease WHERE name = :name
  RETURNING epoch, mark
)
UPDATE installation
SET epoch_floor = greatest(epoch_floor, gone.epoch), mark_floor = greatest(mark_floor, gone.mark)
FROM gone
