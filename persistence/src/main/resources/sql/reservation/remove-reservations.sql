DELETE FROM reservation
WHERE (job, element, kind, preflight, created_at, expires_at) IN (
  SELECT r.job, r.element, r.kind, r.preflight, r.created_at, r.expires_at
  FROM json_to_recordset(CAST(:rows AS json))
    AS r (job uuid, element int, kind text, preflight boolean, created_at timestamptz, expires_at timestamptz))
