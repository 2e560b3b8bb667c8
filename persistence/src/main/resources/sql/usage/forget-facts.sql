DELETE FROM use_fact
WHERE kind IN (SELECT unnest(CAST(:kinds AS text[]))) AND period = :period AND start_ms = :start
