UPDATE usage_mark SET open_ms = :open WHERE open_ms < :open
