SELECT open_ms, placed_ms FROM usage_watermark
