-- The loop begins each turn with an update of this row. An update here, too: a change of hours by hand whose snapshot is
-- older then fails, in place of missing what this transaction did.
UPDATE usage_mark SET open_ms = open_ms RETURNING open_ms
