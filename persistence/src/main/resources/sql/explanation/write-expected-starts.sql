UPDATE job_explanation AS e
SET expected = r.expected
FROM json_to_recordset(CAST(:rows AS json)) AS r (job uuid, expected jsonb)
WHERE e.job = r.job
