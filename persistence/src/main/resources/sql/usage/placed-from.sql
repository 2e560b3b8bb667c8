SELECT coalesce(placed_ms, :none) FROM usage_watermark
