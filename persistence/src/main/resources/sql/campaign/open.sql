SELECT content FROM campaign WHERE ended_at IS NULL ORDER BY id
