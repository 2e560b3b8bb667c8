SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- Notices of the end of a machine that systems outside its cluster announce. A withdrawn one remains, so that a late repeat does
-- not revive it. Rows are deleted with health events, a week after the deadline.
CREATE TABLE announced_notice (
  cluster   uuid        NOT NULL REFERENCES cluster ON DELETE CASCADE,
  id        text        COLLATE "C" NOT NULL,
  node_name text        COLLATE "C" NOT NULL,
  kind      text        COLLATE "C" NOT NULL,
  reason    text        NOT NULL,
  deadline  timestamptz NOT NULL,
  boot      text        COLLATE "C" NOT NULL,
  withdrawn boolean     NOT NULL,
  PRIMARY KEY (cluster, id)
);
CREATE INDEX announced_notice_open ON announced_notice (cluster, deadline) WHERE NOT withdrawn;
CREATE INDEX announced_notice_deadline ON announced_notice (deadline);
GRANT SELECT, INSERT, UPDATE, DELETE ON announced_notice TO fairlead_loops;

CREATE TRIGGER note_places AFTER INSERT OR UPDATE OR DELETE ON announced_notice
  FOR EACH STATEMENT EXECUTE FUNCTION fairlead_note_places();
