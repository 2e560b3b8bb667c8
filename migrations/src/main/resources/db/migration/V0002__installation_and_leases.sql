SET LOCAL ROLE fairlead_owner;
SET LOCAL lock_timeout = '5s';

-- One row. The incarnation is the high part of lease terms and event positions. An operator raises it when a restored copy
-- becomes the live database.
CREATE TABLE installation (
  only_row    boolean     PRIMARY KEY DEFAULT true CHECK (only_row),
  id          uuid        NOT NULL,
  incarnation smallint    NOT NULL CHECK (incarnation > 0),
  created_at  timestamptz NOT NULL DEFAULT now(),
  -- A Kubernetes cluster that is registered again remembers the terms and marks of its former lease. New leases start above
  -- these.
  term_floor  bigint      NOT NULL DEFAULT 0,
  mark_floor  bigint      NOT NULL DEFAULT 0,
  -- The newest nonces that this database wrote into the mark of its log store. A copy of the database lacks the nonces that
  -- are drawn after the copy, so a mark with an unknown nonce was written by another database.
  log_nonces  text[]      NOT NULL DEFAULT '{}'
);
GRANT SELECT ON installation TO fairlead_app, fairlead_loops;
GRANT UPDATE (incarnation, term_floor, mark_floor, log_nonces) ON installation TO fairlead_loops;

CREATE TABLE lease (
  name           text        COLLATE "C" PRIMARY KEY,
  holder         text        NOT NULL,
  term           bigint      NOT NULL,
  renewals       bigint      NOT NULL DEFAULT 0,
  released       boolean     NOT NULL DEFAULT false,
  renewed_at     timestamptz NOT NULL DEFAULT now(),
  -- Progress of this database in the work that the lease covers. A cluster stores the mark too: a higher mark there shows
  -- that this database is older than the one that acted.
  mark           bigint      NOT NULL DEFAULT 0,
  -- Database session of the holder's process, named by a lock that it holds, and the start time of its server. If that server
  -- still runs and the lock is free, the process has ended.
  session        bigint,
  session_server timestamptz
);
GRANT SELECT, INSERT, UPDATE, DELETE ON lease TO fairlead_loops;

-- Separate from the lease, so that a renewal never waits for transactions that hold the fence.
CREATE TABLE fence (
  name text   COLLATE "C" PRIMARY KEY,
  term bigint NOT NULL
);
GRANT SELECT ON fence TO fairlead_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON fence TO fairlead_loops;

-- Rows of the audit have the incarnation of their transaction, like events.
CREATE FUNCTION fairlead_incarnation() RETURNS smallint
  LANGUAGE sql STABLE
  RETURN (SELECT i.incarnation FROM installation i);
