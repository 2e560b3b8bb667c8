SELECT id FROM advance_reservation WHERE ends > least(clock_timestamp(), fairlead_latest(:host)) ORDER BY starts, id
