SELECT content FROM volume_transfer WHERE tenant = :tenant AND project = :project AND id = :id
