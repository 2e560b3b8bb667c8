SET ROLE fairlead_owner;
SET lock_timeout = '5s';

-- An index of a partitioned table cannot be built concurrently. The days of before are written no more, and the table itself is not
-- locked: writers wait for the index of the running day alone. Each day is a transaction of its own, so that events go on between
-- two of them, and what was built stays when the process ends on the way: the next start goes on with the days that are left.
DO $$
DECLARE
  day record;
  tries int;
BEGIN
  FOR day IN
    SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'audit_record'::regclass
      AND NOT EXISTS (SELECT FROM pg_index x JOIN pg_inherits h ON h.inhrelid = x.indexrelid
                      WHERE x.indrelid = c.oid AND h.inhparent = 'audit_record_chain'::regclass)
    ORDER BY c.relname
  LOOP
    tries := 0;
    LOOP
      BEGIN
        EXECUTE format('CREATE INDEX IF NOT EXISTS %I ON %I (incarnation, xid, seq)', day.name || '_chain', day.name);
        EXECUTE format('ALTER INDEX audit_record_chain ATTACH PARTITION %I', day.name || '_chain');
        EXIT;
      EXCEPTION WHEN lock_not_available THEN
        tries := tries + 1;
        IF tries = 60 THEN
          RAISE;
        END IF;
      END;
      COMMIT;
      PERFORM pg_sleep(1);
    END LOOP;
    COMMIT;
  END LOOP;
END
$$;

RESET lock_timeout;
RESET ROLE;
