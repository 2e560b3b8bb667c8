-- A placement that has one of them goes first; one that comes later sees the advance reservation.
SELECT id FROM node WHERE id IN (SELECT unnest(CAST(:nodes AS uuid[]))) ORDER BY id FOR NO KEY UPDATE
