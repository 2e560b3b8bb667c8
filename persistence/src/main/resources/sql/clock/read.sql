SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now_ms, look_ms, open_ms,
       (SELECT coalesce(max(booked_ms), 0) FROM gpu_slot) AS booked_ms
FROM usage_mark
