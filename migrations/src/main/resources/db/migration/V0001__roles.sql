-- Roles are shared by all databases of a server, so each is created only where it is missing, by whichever database
-- comes first. The login needs CREATEROLE for that, or the roles were made and granted to it beforehand.
DO $$
DECLARE
  wanted text;
BEGIN
  FOREACH wanted IN ARRAY ARRAY['fairlead_owner', 'fairlead_app', 'fairlead_loops', 'fairlead_sealer'] LOOP
    BEGIN
      IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
        EXECUTE format('CREATE ROLE %I NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE', wanted);
      END IF;
    EXCEPTION WHEN duplicate_object OR unique_violation THEN
      NULL; -- another database of this server was faster
    END;
    IF NOT pg_has_role(current_user, wanted, 'SET') THEN
      EXECUTE format('GRANT %I TO %I WITH SET TRUE, INHERIT FALSE', wanted, current_user);
    END IF;
  END LOOP;
END
$$;

-- For logins that are one of these roles; connections that SET ROLE get the same limits from the pool.
DO $$
DECLARE
  wanted text;
BEGIN
  FOREACH wanted IN ARRAY ARRAY['fairlead_app', 'fairlead_loops', 'fairlead_sealer'] LOOP
    BEGIN
      EXECUTE format('ALTER ROLE %I SET statement_timeout = ''30s''', wanted);
      EXECUTE format('ALTER ROLE %I SET transaction_timeout = ''60s''', wanted);
      EXECUTE format('ALTER ROLE %I SET idle_in_transaction_session_timeout = ''30s''', wanted);
    EXCEPTION WHEN insufficient_privilege OR internal_error THEN
      NULL; -- made by an administrator, who sets them; or written by another database at this moment
    END;
  END LOOP;
END
$$;

GRANT USAGE, CREATE ON SCHEMA public TO fairlead_owner;
GRANT USAGE ON SCHEMA public TO fairlead_app, fairlead_loops, fairlead_sealer;
