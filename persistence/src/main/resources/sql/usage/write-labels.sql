-- Labels of a taken session count from the moment at which its user holds the GPUs.
INSERT INTO attempt_label (attempt, from_ms, tenant, labels)
SELECT r.attempt, CASE WHEN r.taken THEN (SELECT min(h.since_ms) FROM gpu_held h WHERE h.attempt = r.attempt) ELSE 0 END, r.tenant, r.labels
FROM json_to_recordset(CAST(:rows AS json)) AS r (attempt uuid, taken boolean, tenant uuid, labels jsonb)
ON CONFLICT (attempt, from_ms) DO NOTHING
