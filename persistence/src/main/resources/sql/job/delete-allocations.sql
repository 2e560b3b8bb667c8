DELETE FROM allocation WHERE attempt IN (SELECT unnest(CAST(:attempts AS uuid[])))
