DELETE FROM volume_stay
WHERE volume IN (SELECT volume FROM volume_stay WHERE ended_at < :before ORDER BY ended_at LIMIT :most)
