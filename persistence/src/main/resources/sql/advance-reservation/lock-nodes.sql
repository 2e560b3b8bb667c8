-- A placement that has locked one of the nodes commits first. A later placement sees the advance reservation.
SELECT id FROM node WHERE id IN (SELECT unnest(CAST(:nodes AS uuid[]))) ORDER BY id FOR NO KEY UPDATE
