SELECT current_setting('synchronous_commit') AS commits, current_setting('synchronous_standby_names') <> '' AS standby
