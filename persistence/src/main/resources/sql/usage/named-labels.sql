SELECT from_ms, keys, named_by FROM usage_label WHERE tenant = :tenant ORDER BY from_ms DESC LIMIT :most
