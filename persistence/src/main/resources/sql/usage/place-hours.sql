UPDATE usage_watermark SET placed_ms = :hour WHERE placed_ms IS NULL
