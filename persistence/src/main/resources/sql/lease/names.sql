SELECT name FROM lease ORDER BY name
