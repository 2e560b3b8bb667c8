SELECT content FROM volume_transfer WHERE ended_at IS NULL ORDER BY id
