UPDATE cluster SET last_seen_at = :at WHERE id = :id
