SELECT DISTINCT a.attempt FROM allocation a WHERE a.attempt IN (SELECT unnest(CAST(:attempts AS uuid[])))
