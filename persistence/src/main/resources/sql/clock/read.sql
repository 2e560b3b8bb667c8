SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now_millis,
       look_ms AS look_millis, open_ms AS open_millis,
       (SELECT coalesce(max(booked_ms), 0) FROM gpu_slot) AS booked_millis
FROM usage_watermark
