INSERT INTO licence_hold (attempt, licence, count)
SELECT r.attempt, r.licence, r.count
FROM json_to_recordset(CAST(:rows AS json)) AS r (attempt uuid, licence text, count int)
