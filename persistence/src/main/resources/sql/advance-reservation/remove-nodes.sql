DELETE FROM booking_node WHERE booking = :id
