WITH gone AS (
  DELETE FROM lease WHERE name = :name
  RETURNING epoch, watermark
)
UPDATE installation
SET epoch_floor = greatest(epoch_floor, gone.epoch), watermark_floor = greatest(watermark_floor, gone.watermark)
FROM gone
