INSERT INTO reservation (job, element, tenant, kind, preflight, cluster, members, victims, created_at, starts_at,
  expires_at)
SELECT j.id, r.element, j.tenant, r.kind, r.preflight, r.cluster, r.members, r.victims, r.created_at, r.starts_at,
  r.expires_at
FROM json_to_recordset(CAST(:rows AS json)) AS r (job uuid, element int, kind text, preflight boolean, cluster uuid,
  members jsonb, victims jsonb, created_at timestamptz, starts_at timestamptz, expires_at timestamptz)
JOIN job j ON j.id = r.job
ORDER BY j.id, r.element
ON CONFLICT (job, element) DO UPDATE SET kind = excluded.kind, preflight = excluded.preflight,
  cluster = excluded.cluster, members = excluded.members, victims = excluded.victims,
  created_at = excluded.created_at, starts_at = excluded.starts_at, expires_at = excluded.expires_at
