SELECT licence, sum(count) AS held, count(*) AS attempts FROM licence_hold GROUP BY licence ORDER BY licence
