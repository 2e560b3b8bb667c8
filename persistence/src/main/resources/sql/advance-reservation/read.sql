SELECT id, content FROM advance_reservation WHERE id IN (SELECT unnest(CAST(:ids AS uuid[])))
