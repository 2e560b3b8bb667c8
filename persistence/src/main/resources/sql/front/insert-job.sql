INSERT INTO front_job (cluster, uid, namespace, name, tenant, project, job, suspended, taken_at)
VALUES (:cluster, :uid, :namespace, :name, :tenant, :project, :job, :suspended, :takenAt)
ON CONFLICT DO NOTHING
