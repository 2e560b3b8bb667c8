-- Of one that was lost before it has been written already, and may be forgotten again.
INSERT INTO volume_stay (volume, tenant, project, name, size_gib, storage_class, cluster, begun_at, ended_at)
SELECT id, tenant, project, name, size_gib, storage_class, cluster, coalesce(provisioned_at, bound_at, created_at), now()
FROM volume
WHERE tenant = :tenant AND id = :id AND claim_uid IS NOT NULL AND cluster IS NOT NULL AND state <> 'LOST'
ON CONFLICT (volume, begun_at) DO NOTHING
