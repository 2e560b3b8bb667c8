INSERT INTO gpu_sample (cluster, gpu, series, value, at, seen_at)
SELECT :cluster, r.gpu, r.series, r.value, r.at, r.seen_at
FROM json_to_recordset(CAST(:rows AS json)) AS r (gpu text, series text, value bigint, at timestamptz, seen_at timestamptz)
ORDER BY r.gpu, r.series
ON CONFLICT (cluster, gpu, series) DO UPDATE
SET value = excluded.value, at = excluded.at, seen_at = excluded.seen_at
