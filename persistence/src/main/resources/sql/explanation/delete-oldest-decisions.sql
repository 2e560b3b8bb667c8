DELETE FROM job_decision AS d
USING (
  SELECT r.job, (SELECT o.id FROM job_decision o WHERE o.job = r.job ORDER BY o.id DESC OFFSET :most LIMIT 1) AS last
  FROM (SELECT DISTINCT job FROM json_to_recordset(CAST(:rows AS json)) AS r (job uuid)) AS r) AS old
WHERE d.job = old.job AND d.id <= old.last
