INSERT INTO workdir (id, tenant, project, digest, bytes, state, created_at, used_at)
SELECT CAST(:id AS uuid), CAST(:tenant AS uuid), CAST(:project AS uuid), :digest, :bytes, 'UPLOADING', now(), now()
WHERE (SELECT coalesce(sum(w.bytes), 0) FROM workdir w
       WHERE w.tenant = :tenant AND w.project = :project AND w.state <> 'DELETING') + :bytes <= :most
