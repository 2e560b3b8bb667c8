SELECT current_setting('server_version_num')::integer AS version,
       current_setting('server_version') AS named,
       login.rolname AS login,
       current_database() AS database,
       to_regclass('flyway_schema_history') IS NOT NULL
         OR coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS makes_tables,
       login.rolsuper OR login.rolcreaterole AS makes_roles,
       (SELECT string_agg(wanted.name, ', ' ORDER BY wanted.name)
          FROM unnest(ARRAY['fairlead_owner', 'fairlead_app', 'fairlead_loops', 'fairlead_sealer']) AS wanted (name)
         WHERE NOT EXISTS (SELECT FROM pg_roles r WHERE r.rolname = wanted.name)) AS missing
  FROM pg_roles login
 WHERE login.rolname = current_user
