SELECT content FROM campaign WHERE id = :id FOR UPDATE
