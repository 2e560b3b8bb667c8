SELECT b.node, b.advance_reservation
FROM advance_reservation_node b
WHERE b.node IN (SELECT unnest(CAST(:nodes AS uuid[]))) AND upper(b.during) > least(clock_timestamp(), fairlead_latest(:host))
ORDER BY b.node, b.advance_reservation
