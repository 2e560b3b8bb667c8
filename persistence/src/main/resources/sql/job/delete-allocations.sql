DELETE FROM allocation WHERE attempt = ANY (CAST(:attempts AS uuid[]))
