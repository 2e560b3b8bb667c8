-- Skips a wait that may have begun under an earlier scheduler and has the reason of the job's newest decision: that wait is already stored. A
-- clock that steps back does not place a decision before its predecessor. An expected start from a wait before the newest decision of
-- another kind does not belong to this decision. A time after the year 9999 is ignored:
-- one such text would discard all decisions of the batch.
INSERT INTO job_decision (job, tenant, at, kind, reason, body, expected_p50, expected_p90)
SELECT j.id, j.tenant, greatest(max(r.at) OVER (PARTITION BY r.job ORDER BY r.ord), n.at), r.kind, r.reason,
  decode(r.body, 'base64'), e.p50, e.p90
FROM json_to_recordset(CAST(:rows AS json))
  AS r (ord int, job uuid, at timestamptz, kind text, reason text, begun boolean, body text)
JOIN job j ON j.id = r.job
LEFT JOIN LATERAL (SELECT d.at, d.reason FROM job_decision d WHERE d.job = r.job ORDER BY d.id DESC LIMIT 1) n ON true
LEFT JOIN LATERAL (
  SELECT CAST(m.expected ->> 'p50' AS timestamptz) AS p50, CAST(m.expected ->> 'p90' AS timestamptz) AS p90
  FROM job_explanation m
  WHERE m.job = r.job AND m.expected ->> 'p90' LIKE '____-%' AND r.kind IN ('PLACED', 'WAITED')
    AND NOT EXISTS (
      SELECT FROM job_decision d
      WHERE d.job = r.job AND d.kind <> 'WAITED' AND d.at > CAST(m.expected ->> 'computedAt' AS timestamptz))) e ON true
WHERE r.reason IS NULL OR r.begun OR r.reason IS DISTINCT FROM n.reason
ORDER BY r.ord
