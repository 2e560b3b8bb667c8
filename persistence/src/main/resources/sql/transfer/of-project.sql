SELECT content FROM volume_transfer WHERE tenant = :tenant AND project = :project ORDER BY id DESC LIMIT :most
