-- Not a wait whose reason is that of the newest decision of its job: another scheduler has recorded it.
INSERT INTO job_decision (job, tenant, at, kind, reason, body)
SELECT j.id, j.tenant, r.at, r.kind, r.reason, decode(r.body, 'base64')
FROM json_to_recordset(CAST(:rows AS json)) AS r (ord int, job uuid, at timestamptz, kind text, reason text, body text)
JOIN job j ON j.id = r.job
WHERE r.reason IS NULL
  OR r.reason IS DISTINCT FROM (SELECT d.reason FROM job_decision d WHERE d.job = r.job ORDER BY d.id DESC LIMIT 1)
ORDER BY r.ord
