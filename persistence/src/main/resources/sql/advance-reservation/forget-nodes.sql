DELETE FROM booking_node n USING booking b WHERE b.id = n.booking AND b.ends < :before
