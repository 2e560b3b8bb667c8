UPDATE usage_watermark SET look_ms = greatest(look_ms, (extract(epoch FROM least(clock_timestamp(), fairlead_latest(:host))) * 1000)::bigint)
RETURNING look_ms, open_ms
