SELECT EXISTS (SELECT FROM usage_label WHERE tenant = :tenant AND :key = ANY (keys))
