INSERT INTO advance_reservation_node (advance_reservation, node, during)
SELECT :id, node, tstzrange(:starts, :ends) FROM unnest(CAST(:nodes AS uuid[])) AS node
