-- Holds the change of an object that already has a held change, or that has at least :burst recent events. The last change of the object
-- replaces the held one.
WITH incoming AS MATERIALIZED (
  SELECT * FROM json_to_recordset(CAST(:rows AS json)) AS r (ord int, subject uuid, waits boolean, fact jsonb)
), flapping AS MATERIALIZED (
  SELECT i.ord, i.subject, i.fact
  FROM incoming i
  WHERE i.waits
    OR (SELECT count(*) FROM event e
        WHERE e.subject = i.subject AND e.tenant = :fleet AND e.type NOT LIKE 'NodeNotice%'
          AND (e.subject_kind = 'NODE' OR e.type LIKE 'Cluster%')
          AND e.at > now() - CAST(:window AS interval) AND e.at < now() + interval '1 day') >= :burst
)
INSERT INTO held_fleet_event AS h (subject, cluster, actor, held, due, fact)
SELECT DISTINCT ON (f.subject) f.subject, :cluster, :actor, CAST(count(*) OVER (PARTITION BY f.subject) AS int), now() + CAST(:window AS interval),
       f.fact
FROM flapping f
ORDER BY f.subject, f.ord DESC
ON CONFLICT (subject) DO UPDATE SET held = h.held + excluded.held, fact = excluded.fact, actor = excluded.actor
RETURNING subject
