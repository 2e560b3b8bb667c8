INSERT INTO legal_hold (tenant, name, reason, project, job, from_at, to_at, changed_at, changed_by)
VALUES (:tenant, :name, :reason, CAST(:project AS uuid), CAST(:job AS uuid), CAST(:from AS timestamptz), CAST(:to AS timestamptz),
        CAST(:changedAt AS timestamptz), :changedBy)
ON CONFLICT (tenant, name) DO UPDATE
SET reason = excluded.reason, project = excluded.project, job = excluded.job, from_at = excluded.from_at, to_at = excluded.to_at,
    changed_at = excluded.changed_at, changed_by = excluded.changed_by
