DELETE FROM advance_reservation_node n USING advance_reservation r WHERE r.id = n.advance_reservation AND r.ends < :before
