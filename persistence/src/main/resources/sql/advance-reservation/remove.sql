DELETE FROM booking WHERE id = :id
