SELECT job.id, job.spec
FROM unnest(CAST(:ids AS uuid[]), CAST(:versions AS bigint[])) AS k (id, version)
JOIN job ON job.id = k.id
WHERE job.spec_version > k.version
