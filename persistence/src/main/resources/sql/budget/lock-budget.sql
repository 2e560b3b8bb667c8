SELECT b.id FROM budget b WHERE b.id = :id FOR NO KEY UPDATE
