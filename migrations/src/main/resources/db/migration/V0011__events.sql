SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Each fact of a change has a position: that of its row for the first, and the next numbers for the others. Rows are 32 numbers
-- apart, so a row has at most 32 facts.
CREATE SEQUENCE event_seq AS bigint INCREMENT BY 32;
GRANT USAGE ON SEQUENCE event_seq TO fairlead_app, fairlead_loops;

-- The position is (incarnation, xid, seq). Readers stop below the oldest running transaction.
CREATE TABLE event (
  at           timestamptz NOT NULL DEFAULT now(),
  incarnation  smallint    NOT NULL,
  xid          xid8        NOT NULL DEFAULT pg_current_xact_id(),
  seq          bigint      NOT NULL DEFAULT nextval('event_seq'),
  type         text        NOT NULL,
  subject_kind text        NOT NULL,
  subject      uuid        NOT NULL,
  version      bigint      NOT NULL,
  actor        text        NOT NULL,
  tenant       uuid        NOT NULL,
  project      uuid,
  data         jsonb       NOT NULL,
  -- Name, project and user of the job, and the place of its attempt, so that a reader needs no other request. Null for events
  -- of budgets.
  context      jsonb,
  -- Facts of the same change after the first, as pairs of type and data.
  more         jsonb,
  PRIMARY KEY (incarnation, xid, seq, at)
) PARTITION BY RANGE (at);
ALTER SEQUENCE event_seq OWNED BY event.seq;
CREATE TABLE event_rest PARTITION OF event DEFAULT;
CREATE INDEX event_subject ON event (subject, incarnation, xid, seq);
ALTER TABLE event ENABLE ROW LEVEL SECURITY;
ALTER TABLE event FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON event TO fairlead_app USING (tenant = current_setting('fairlead.tenant')::uuid);
CREATE POLICY all_tenants ON event TO fairlead_loops USING (true);
GRANT SELECT, INSERT ON event TO fairlead_app, fairlead_loops;

-- The facts of a row, with their places from 0.
CREATE FUNCTION fairlead_facts(first_type text, first_data jsonb, more jsonb)
  RETURNS TABLE (place bigint, type text, data jsonb)
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  BEGIN ATOMIC
    SELECT 0::bigint, first_type, first_data
    UNION ALL
    SELECT m.place, m.fact ->> 0, m.fact -> 1 FROM jsonb_array_elements(more) WITH ORDINALITY AS m (fact, place);
  END;

REVOKE EXECUTE ON FUNCTION fairlead_facts(text, jsonb, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION fairlead_facts(text, jsonb, jsonb) TO fairlead_app, fairlead_loops;

-- One row: the greatest dropped position. A reader that stopped before it has missed events, even if older rows are left.
CREATE TABLE event_floor (
  only_row    boolean  PRIMARY KEY DEFAULT true CHECK (only_row),
  incarnation smallint NOT NULL,
  xid         xid8     NOT NULL,
  seq         bigint   NOT NULL
);
GRANT SELECT ON event_floor TO fairlead_app, fairlead_loops;

INSERT INTO event_floor (incarnation, xid, seq) VALUES (0, '0', 0);

-- Waits for every transaction that writes events, and blocks new ones until the caller's transaction ends.
CREATE FUNCTION fairlead_hold_events() RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  LOCK TABLE event IN SHARE ROW EXCLUSIVE MODE;
  RETURN true;
END
$$;

REVOKE EXECUTE ON FUNCTION fairlead_hold_events() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION fairlead_hold_events() TO fairlead_loops;

-- The last change of a node or cluster that changes repeatedly, until its event is due. It names machines, so no tenant reads
-- it.
CREATE TABLE held_fleet_event (
  subject uuid        PRIMARY KEY,
  cluster uuid        NOT NULL,
  actor   text        NOT NULL,
  held    int         NOT NULL,
  due     timestamptz NOT NULL,
  fact    jsonb       NOT NULL
);
GRANT SELECT, INSERT, UPDATE, DELETE ON held_fleet_event TO fairlead_loops;
