-- The loop begins each turn with an update of this row.
SELECT open_ms FROM usage_mark FOR NO KEY UPDATE
