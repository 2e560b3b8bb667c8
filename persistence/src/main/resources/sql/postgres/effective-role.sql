SELECT current_user AS name,
       r.rolsuper OR r.rolbypassrls AS bypasses,
       pg_has_role(current_user, 'fairlead_loops', 'USAGE') AS unstated,
       current_setting('statement_timeout') <> '0'
         AND current_setting('transaction_timeout') <> '0'
         AND current_setting('idle_in_transaction_session_timeout') <> '0' AS bounded
FROM pg_roles r
WHERE r.rolname = current_user
