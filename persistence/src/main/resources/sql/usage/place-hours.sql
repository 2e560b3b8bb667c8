UPDATE usage_mark SET placed_ms = :hour WHERE placed_ms IS NULL
