SELECT sequence, link, signature FROM audit_head ORDER BY sequence DESC LIMIT 1
