SELECT job.id, job.spec
FROM job
JOIN json_to_recordset(CAST(:known AS json)) AS k (id uuid, version bigint) ON k.id = job.id
WHERE job.spec_version > k.version
