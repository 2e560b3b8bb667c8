DELETE FROM volume_stay
WHERE (volume, begun_at) IN (SELECT volume, begun_at FROM volume_stay WHERE ended_at < :before ORDER BY ended_at LIMIT :most)
