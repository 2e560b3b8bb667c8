SELECT content FROM volume_transfer WHERE tenant = :tenant AND project = :project ORDER BY ended_at IS NULL DESC, id DESC LIMIT :most
