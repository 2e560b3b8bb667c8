SELECT content
FROM health_rule
ORDER BY xid
