DELETE FROM volume_transfer
WHERE id IN (SELECT id FROM volume_transfer WHERE ended_at < :before ORDER BY ended_at LIMIT :most)
