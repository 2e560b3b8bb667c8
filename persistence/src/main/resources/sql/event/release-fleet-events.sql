DELETE FROM held_fleet_event
WHERE subject IN (SELECT subject FROM held_fleet_event WHERE due <= now() ORDER BY due LIMIT :most FOR UPDATE SKIP LOCKED)
RETURNING cluster, actor, held, fact
