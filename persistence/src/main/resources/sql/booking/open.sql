SELECT id FROM booking WHERE ends > now() ORDER BY starts, id
