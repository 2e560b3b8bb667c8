INSERT INTO quarantine (id, cluster, node, gpu, incident, domain_quarantine, cause, owner, since, until, released_at, released)
SELECT id, cluster, node, gpu, incident, domain_quarantine, cause, owner, since, until, released_at, released
FROM json_to_recordset(CAST(:rows AS json)) AS r (
  id uuid, cluster uuid, node uuid, gpu text, incident uuid, domain_quarantine uuid, cause text, owner text, since timestamptz,
  until timestamptz, released_at timestamptz, released text)
ORDER BY id
ON CONFLICT (id) DO UPDATE
SET gpu = excluded.gpu, cause = excluded.cause, owner = excluded.owner, until = excluded.until, released_at = excluded.released_at,
    released = excluded.released
