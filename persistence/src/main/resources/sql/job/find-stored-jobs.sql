-- A spec is out of line, and most readers read a job at each of its steps. The spec is therefore null if the caller already has it: specs
-- change only in a patch, which sets both the version and the time. Archived jobs are missing.
SELECT job.id, tenant, project, queue, name, submitted_by, priority, created_at, state, changed_at, started_at, ended_at,
       attempts, failures, faults, retry_at, failure, progress, checks, job.version, spec_version,
       coalesce(CAST(patched_at AS text), '') AS patched,
       CASE WHEN spec_version <> k.version OR coalesce(CAST(patched_at AS text), '') <> k.patched THEN spec END AS spec
FROM unnest(CAST(:ids AS uuid[]), CAST(:versions AS bigint[]), CAST(:patched AS text[])) AS k (id, version, patched)
JOIN job ON job.id = k.id
ORDER BY job.id
