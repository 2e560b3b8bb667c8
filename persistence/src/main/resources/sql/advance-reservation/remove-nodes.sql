DELETE FROM advance_reservation_node WHERE advance_reservation = :id
