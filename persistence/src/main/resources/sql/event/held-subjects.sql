SELECT subject FROM held_fleet_event WHERE subject IN (SELECT unnest(CAST(:subjects AS uuid[])))
