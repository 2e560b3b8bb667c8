INSERT INTO quarantine (id, cluster, node, incident, cause, owner, since, until, released_at, released)
VALUES (:id, :cluster, :node, CAST(:incident AS uuid), :cause, :owner, CAST(:since AS timestamptz), CAST(:until AS timestamptz),
        CAST(:released_at AS timestamptz), :released)
ON CONFLICT (id) DO UPDATE
SET cause = excluded.cause, owner = excluded.owner, until = excluded.until, released_at = excluded.released_at,
    released = excluded.released
