DELETE FROM booking WHERE ends < :before
