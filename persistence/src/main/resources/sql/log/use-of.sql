SELECT u.project, u.stored FROM log_use u WHERE u.project IN (SELECT unnest(CAST(:projects AS uuid[]))) AND u.stored > 0
