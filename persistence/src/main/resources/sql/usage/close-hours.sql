UPDATE usage_watermark SET open_ms = :open WHERE open_ms < :open
