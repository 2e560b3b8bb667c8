SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- An index of a partitioned table cannot be built concurrently. The days of before are written no more, and the table itself is not
-- locked: those who write wait for the index of the running day alone, which comes last of those that have rows.
DO $$
DECLARE
  day record;
BEGIN
  FOR day IN
    SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'audit_record'::regclass
      AND NOT EXISTS (SELECT FROM pg_index x JOIN pg_inherits h ON h.inhrelid = x.indexrelid
                      WHERE x.indrelid = c.oid AND h.inhparent = 'audit_record_chain'::regclass)
    ORDER BY c.relname
  LOOP
    EXECUTE format('CREATE INDEX %I ON %I (incarnation, xid, seq)', day.name || '_chain', day.name);
  END LOOP;
  -- Only now: who reads a day waits for an index of it that is being tied.
  FOR day IN
    SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'audit_record'::regclass AND to_regclass(c.relname || '_chain') IS NOT NULL
    ORDER BY c.relname
  LOOP
    EXECUTE format('ALTER INDEX audit_record_chain ATTACH PARTITION %I', day.name || '_chain');
  END LOOP;
END
$$;
