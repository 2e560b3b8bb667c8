UPDATE front_job AS f
SET shown = r.version
FROM json_to_recordset(CAST(:rows AS json)) AS r (uid text, version bigint)
WHERE f.cluster = :cluster AND f.uid = r.uid
