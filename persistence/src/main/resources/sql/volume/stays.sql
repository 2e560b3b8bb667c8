-- A stay begins no earlier than the end of its predecessor. Its start is measured by the service's clock and its end by the database's
-- clock, so a stay that ends before its start has no duration.
SELECT volume, project, name, size_gib, storage_class, cluster, greatest(begun_at, CAST(:from AS timestamptz)) AS begun_at,
  least(ended_at, CAST(:to AS timestamptz)) AS ended_at
FROM (
  SELECT id AS volume, project, name, size_gib, storage_class, cluster,
    greatest(coalesce(provisioned_at, bound_at, created_at),
             (SELECT max(s.ended_at) FROM volume_stay s WHERE s.volume = volume.id)) AS begun_at,
    CAST(:to AS timestamptz) AS ended_at
  FROM volume
  WHERE tenant = :tenant AND claim_uid IS NOT NULL AND cluster IS NOT NULL AND state <> 'LOST'
  UNION ALL
  SELECT volume, project, name, size_gib, storage_class, cluster, begun_at, ended_at
  FROM volume_stay
  WHERE tenant = :tenant AND ended_at > CAST(:from AS timestamptz)
) AS stay
WHERE begun_at < CAST(:to AS timestamptz) AND ended_at > CAST(:from AS timestamptz)
  AND ended_at > begun_at
ORDER BY name, begun_at, volume
