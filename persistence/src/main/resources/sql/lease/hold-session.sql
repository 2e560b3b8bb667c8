-- The server detects within about 11 s that the client machine is gone.
SELECT set_config('tcp_keepalives_idle', '5', false), set_config('tcp_keepalives_interval', '2', false),
  set_config('tcp_keepalives_count', '3', false), pg_advisory_lock(?)
