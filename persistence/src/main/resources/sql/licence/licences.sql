SELECT name, count, cluster FROM licence ORDER BY name
