INSERT INTO front_job (cluster, uid, namespace, name, tenant, project, job, suspended, taken_at)
SELECT :cluster, r.uid, r.namespace, r.name, r.tenant, r.project, r.job, r.suspended, r.taken_at
FROM json_to_recordset(CAST(:rows AS json))
  AS r (uid text, namespace text, name text, tenant uuid, project uuid, job uuid, suspended boolean, taken_at timestamptz)
ORDER BY r.uid
ON CONFLICT DO NOTHING
RETURNING uid
