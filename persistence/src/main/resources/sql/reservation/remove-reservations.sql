DELETE FROM reservation
WHERE (job, element) IN (SELECT r.job, r.element FROM json_to_recordset(CAST(:rows AS json)) AS r (job uuid, element int))
