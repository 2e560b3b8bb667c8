INSERT INTO booking_node (booking, node, during)
SELECT :id, node, tstzrange(:starts, :ends) FROM unnest(CAST(:nodes AS uuid[])) AS node
