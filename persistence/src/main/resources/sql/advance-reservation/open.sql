SELECT id FROM booking WHERE ends > least(clock_timestamp(), fairlead_latest(:host)) ORDER BY starts, id
