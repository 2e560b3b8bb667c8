SELECT name, count FROM licence ORDER BY name
