UPDATE front_job AS f
SET job = r.job, suspended = r.suspended
FROM json_to_recordset(CAST(:rows AS json)) AS r (uid text, job uuid, suspended boolean)
WHERE f.cluster = :cluster AND f.uid = r.uid
RETURNING f.uid
