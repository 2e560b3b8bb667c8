-- The stay of a lost volume was already written, and may be deleted later. A stay begins no earlier than the end of its predecessor, and
-- ends by the believed time: a clock that stepped ahead never creates two stays in the same hours.
INSERT INTO volume_stay (volume, tenant, project, name, size_gib, storage_class, cluster, begun_at, ended_at)
SELECT id, tenant, project, name, size_gib, storage_class, cluster, begun_at,
       greatest(begun_at, least(clock_timestamp(), fairlead_latest(:host)))
FROM (
  SELECT v.*, greatest(coalesce(v.provisioned_at, v.bound_at, v.created_at),
                       (SELECT max(s.ended_at) FROM volume_stay s WHERE s.volume = v.id)) AS begun_at
  FROM volume v
) AS volume
WHERE tenant = :tenant AND id = :id AND claim_uid IS NOT NULL AND cluster IS NOT NULL AND state <> 'LOST'
ON CONFLICT (volume, begun_at) DO NOTHING
