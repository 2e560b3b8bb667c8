DELETE FROM front_job
WHERE cluster = :cluster AND uid IN (SELECT json_array_elements_text(CAST(:uids AS json)))
