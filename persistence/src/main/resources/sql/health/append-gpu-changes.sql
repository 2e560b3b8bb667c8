INSERT INTO gpu_change (gpu, at, kind, text)
SELECT gpu, at, kind, text
FROM json_to_recordset(CAST(:rows AS json)) AS r (ord int, gpu text, at timestamptz, kind text, text text)
ORDER BY ord
