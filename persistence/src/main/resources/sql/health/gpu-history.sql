(SELECT gpu, at, kind, text, CAST(NULL AS uuid) AS incident, n
 FROM gpu_change
 WHERE gpu = :gpu AND at <= :at
 ORDER BY at DESC, n DESC
 LIMIT :limit + :read)
UNION ALL
(SELECT gpu, opened_at, 'INCIDENT', cause || ' in node ' || node_name, id, 0
 FROM incident
 WHERE gpu = :gpu AND opened_at <= :at)
UNION ALL
(SELECT i.gpu, q.since, 'QUARANTINED', CASE WHEN q.gpu IS NULL THEN '' ELSE 'this GPU of ' END || 'node ' || i.node_name, i.id, 1
 FROM incident i JOIN quarantine q ON q.incident = i.id
 WHERE i.gpu = :gpu AND q.since <= :at)
UNION ALL
(SELECT i.gpu, q.released_at, 'RELEASED', CASE WHEN q.gpu IS NULL THEN '' ELSE 'this GPU of ' END || 'node ' || i.node_name || ': ' || q.released, i.id, 2
 FROM incident i JOIN quarantine q ON q.incident = i.id
 WHERE i.gpu = :gpu AND q.released_at <= :at)
ORDER BY at DESC, n DESC, incident DESC
LIMIT :limit OFFSET :read
