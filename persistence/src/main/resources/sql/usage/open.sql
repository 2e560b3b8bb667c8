SELECT open_ms FROM usage_watermark
