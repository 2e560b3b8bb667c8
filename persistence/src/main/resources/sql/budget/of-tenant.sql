SELECT b.id FROM budget b WHERE b.tenant = :tenant ORDER BY b.name
