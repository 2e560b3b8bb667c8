UPDATE usage_mark SET look_ms = greatest(look_ms, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
RETURNING look_ms, open_ms
