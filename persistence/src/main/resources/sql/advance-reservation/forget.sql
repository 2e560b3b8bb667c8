DELETE FROM advance_reservation WHERE ends < :before
