DELETE FROM advance_reservation WHERE id = :id
