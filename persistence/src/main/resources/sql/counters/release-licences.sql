DELETE FROM licence_hold WHERE attempt IN (SELECT unnest(CAST(:ids AS uuid[])))
