-- Runs as the login itself, which alone can read the history of migrations.
SELECT current_setting('server_version_num')::int AS version,
  extract(epoch FROM now()) * 1000 AS millis,
  (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS used,
  current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS most,
  (SELECT string_agg(version, ', ' ORDER BY installed_rank) FROM flyway_schema_history WHERE NOT success) AS failed,
  (SELECT version FROM flyway_schema_history WHERE success AND version IS NOT NULL ORDER BY installed_rank DESC LIMIT 1)
    AS migrated,
  (SELECT string_agg(wanted.name, ', ') FROM (VALUES ('fairlead_owner'), ('fairlead_app'), ('fairlead_loops'),
    ('fairlead_sealer')) AS wanted (name) WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted.name)) AS missing,
  (SELECT string_agg(rolname, ', ' ORDER BY rolname) FROM pg_roles
    WHERE rolname IN ('fairlead_app', 'fairlead_loops') AND (rolsuper OR rolbypassrls)) AS unbound,
  current_setting('archive_mode') <> 'off' AS archiving,
  extract(epoch FROM current_setting('archive_timeout')::interval)::int AS archive_timeout,
  (SELECT extract(epoch FROM now() - last_archived_time)::bigint FROM pg_stat_archiver) AS archived_ago,
  (SELECT last_failed_wal FROM pg_stat_archiver
    WHERE last_failed_time > coalesce(last_archived_time, '-infinity')) AS unarchived
