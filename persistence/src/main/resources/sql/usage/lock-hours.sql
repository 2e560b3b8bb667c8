-- The loop begins each pass with an update of this row. So does this transaction: a manual change of hours with an older snapshot then
-- fails, instead of missing the changes of this transaction.
UPDATE usage_watermark SET open_ms = open_ms RETURNING open_ms
